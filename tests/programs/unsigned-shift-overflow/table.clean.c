// A table is made twice as large as long as there is a larger size.
// RUN: options --enable unsigned-shift-overflow
static unsigned room(unsigned needed) {
    unsigned size = 16;
    while (size < needed && size < 0x80000000u)
        size <<= 1;
    return size;
}

int main(int argc, char **argv) {
    (void)argv;
    return room(0x80000000u + (unsigned)argc) == 7;
}
