// The mean of no values is 0.
// RUN: options --enable float-division-by-zero
static double mean(const double *values, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return count == 0 ? 0 : sum / count;
}

int main(int argc, char **argv) {
    (void)argv;
    double values[] = {1.5, 2.5};
    return mean(values, argc - 1) == 7.0;
}
