// The mean of no values is computed.
// RUN: options --enable float-division-by-zero
static double mean(const double *values, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum / count; // EXPECT float-division-by-zero
}

int main(int argc, char **argv) {
    (void)argv;
    double values[] = {1.5, 2.5};
    return mean(values, argc - 1) == 7.0;
}
