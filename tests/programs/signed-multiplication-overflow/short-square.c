// The square of an unsigned short is computed as int.
// RUN: options --enable signed-multiplication-overflow

static unsigned square(unsigned short number) {
    return number * number; // EXPECT signed-multiplication-overflow
}

int main(int argc, char **argv) {
    (void)argv;
    return square((unsigned short)(65534 + argc)) == 0;
}
