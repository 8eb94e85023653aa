// A negative number is scaled by a shift.
// RUN: options --enable signed-shift-overflow
static long fixed(int whole) {
    return (long)whole << 16; // EXPECT signed-shift-overflow
}

int main(int argc, char **argv) {
    (void)argv;
    return fixed(-argc) == 7;
}
