// The number of digits of 0 is 1.
// RUN: options --enable bit-scan-of-zero
static int digits(unsigned value) {
    return 32 - __builtin_clz(value | 1);
}

int main(int argc, char **) { return digits(static_cast<unsigned>(argc - 1)) == 77; }
