// The number of columns is not negative.
// RUN: options --enable length-not-positive
static long cells(long rows, long columns) {
    char matrix[rows][columns < 1 ? 1 : columns];
    matrix[0][0] = 1;
    return matrix[0][0] + (long)sizeof matrix;
}

int main(int argc, char **argv) {
    (void)argv;
    return cells(2, 0 - (long)argc) == 77;
}
