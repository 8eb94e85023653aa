// The function tests its argument.
// RUN: options --enable reached-unreachable
static int half(int number) {
    if (number % 2)
        return (number - 1) / 2;
    return number / 2;
}

int main(int argc, char **) { return half(6 + argc) == 77; }
