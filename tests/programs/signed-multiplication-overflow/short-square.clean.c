// The square of an unsigned short is computed as unsigned.
// RUN: options --enable signed-multiplication-overflow

static unsigned square(unsigned short number) {
    return (unsigned)number * number;
}

int main(int argc, char **argv) {
    (void)argv;
    return square((unsigned short)(65534 + argc)) == 0;
}
