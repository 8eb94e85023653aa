// A mean of nothing is no number, and becomes an index.
// RUN: options --enable float-conversion-overflow
static int bucket(double sum, int count) {
    double mean = sum / count;
    return (int)mean; // EXPECT float-conversion-overflow
}

int main(int argc, char **argv) {
    (void)argv;
    return bucket(0.0, argc - 1) == 77;
}
