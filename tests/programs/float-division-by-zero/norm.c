// A vector without length is normalised.
// RUN: options --enable float-division-by-zero
static void normalise(long double *v, long double length) {
    v[0] /= length; // EXPECT float-division-by-zero
}

int main(int argc, char **argv) {
    (void)argv;
    long double v[1] = {0};
    normalise(v, argc - 1);
    return v[0] == 7;
}
