// The mean of nothing is 0.
// RUN: options --enable float-conversion-overflow
static int bucket(double sum, int count) {
    double mean = count == 0 ? 0.0 : sum / count;
    return (int)mean;
}

int main(int argc, char **argv) {
    (void)argv;
    return bucket(0.0, argc - 1) == 77;
}
