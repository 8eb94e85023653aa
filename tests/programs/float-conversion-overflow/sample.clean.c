// The sample is limited to what 16 bits allow.
// RUN: options --enable float-conversion-overflow
#include <stdint.h>

static int16_t sample(double level) {
    return (int16_t)(level >= 1.0 ? 32767.0 : level * 32768.0);
}

int main(int argc, char **argv) {
    (void)argv;
    return sample(0.25 + argc) == 77;
}
