// What a function assumes of its argument does not hold.
// RUN: options --enable reached-unreachable
static int half(int number) {
    if (number % 2)
        __builtin_unreachable(); // EXPECT reached-unreachable
    return number / 2;
}

int main(int argc, char **) { return half(6 + argc) == 77; }
