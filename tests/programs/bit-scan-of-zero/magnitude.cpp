// The number of digits of 0 is computed.
// RUN: options --enable bit-scan-of-zero
static int digits(unsigned value) {
    return 32 - __builtin_clz(value); // EXPECT bit-scan-of-zero
}

int main(int argc, char **) { return digits(static_cast<unsigned>(argc - 1)) == 77; }
