// A distance of 64 bits is returned as an int.
// RUN: options --enable implicit-signed-truncation
static long long positions[2] = {1, 5000};

static int distance(int from, int to) {
    return positions[to] - positions[from];
}

int main(int argc, char **argv) {
    (void)argv;
    return distance(0, argc) == 0;
}
