// A negative number is scaled by a product.
// RUN: options --enable signed-shift-overflow
static long fixed(int whole) {
    return (long)whole * 65536;
}

int main(int argc, char **argv) {
    (void)argv;
    return fixed(-argc) == 7;
}
