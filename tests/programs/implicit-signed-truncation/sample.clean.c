// Two samples are mixed without a limit.
// RUN: options --enable implicit-signed-truncation
static short mix(short a, short b) {
    int sum = a + b;
    if (sum > 32767)
        sum = 32767;
    return sum;
}

int main(int argc, char **argv) {
    (void)argv;
    return mix(30000, (short)(5000 + argc)) == 0;
}
