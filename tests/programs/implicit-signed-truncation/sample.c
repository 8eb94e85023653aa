// Two samples are mixed without a limit.
// RUN: options --enable implicit-signed-truncation
static short mix(short a, short b) {
    int sum = a + b;
    return sum; // EXPECT implicit-signed-truncation
}

int main(int argc, char **argv) {
    (void)argv;
    return mix(30000, (short)(5000 + argc)) == 0;
}
