// The middle between two indices is computed from their sum.
// RUN: options --enable signed-addition-overflow

static int middle(int low, int high) {
    return (low + high) / 2; // EXPECT signed-addition-overflow
}

int main(int argc, char **argv) {
    (void)argv;
    return middle(2000000000 + argc, 2100000000) < 0;
}
