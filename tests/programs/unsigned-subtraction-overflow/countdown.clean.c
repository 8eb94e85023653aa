// The loop compares before it counts.
// RUN: options --enable unsigned-subtraction-overflow
static int sum(const int *values, unsigned count) {
    int result = 0;
    unsigned i = count;
    while (i > 0) {
        i--;
        result += values[i];
    }
    return result;
}

int main(int argc, char **argv) {
    (void)argv;
    int values[] = {1, 2, argc};
    return sum(values, 3) == 77;
}
