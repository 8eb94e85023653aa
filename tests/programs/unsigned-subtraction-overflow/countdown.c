// A loop counts an unsigned index down to below 0.
// RUN: options --enable unsigned-subtraction-overflow
static int sum(const int *values, unsigned count) {
    int result = 0;
    unsigned i = count - 1;
    while (i < count) {
        result += values[i];
        i--; // EXPECT unsigned-subtraction-overflow
    }
    return result;
}

int main(int argc, char **argv) {
    (void)argv;
    int values[] = {1, 2, argc};
    return sum(values, 3) == 77;
}
