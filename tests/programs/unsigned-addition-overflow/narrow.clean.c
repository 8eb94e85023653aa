// Steps of bytes and short numbers, which are signed sums, were taken for unsigned ones: ++ of -1 was reported.
// RUN: options --enable unsigned-addition-overflow --enable unsigned-subtraction-overflow
int main(int argc, char **argv) {
    (void)argv;
    signed char level = (signed char)-argc;
    unsigned char round = (unsigned char)(argc - 1);
    short step = (short)-argc;
    level++, --level;
    round--, ++round;
    ++step;
    return level + round + step == 77;
}
