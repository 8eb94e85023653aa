// A table is made twice as large until its size is lost.
// RUN: options --enable unsigned-shift-overflow
static unsigned room(unsigned needed) {
    unsigned size = 16;
    while (size && size < needed)
        size <<= 1; // EXPECT unsigned-shift-overflow
    return size;
}

int main(int argc, char **argv) {
    (void)argv;
    return room(0x80000000u + (unsigned)argc) == 7;
}
