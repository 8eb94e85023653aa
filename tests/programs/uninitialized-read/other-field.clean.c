// Of a unit of bit-fields those are read that are set.
// RUN: options --enable uninitialized-read
#include <stdlib.h>

struct flags {
    unsigned first : 3;
    unsigned second : 5;
    unsigned third : 9;
    unsigned fourth : 15;
};

__attribute__((noinline)) static void set(struct flags *flags, unsigned value) {
    flags->first = value;
    flags->second = 0;
    flags->second += value;
}

int main(int argc, char **argv) {
    struct flags *flags = malloc(sizeof *flags);
    if (!flags)
        return 1;
    set(flags, (unsigned)argc);
    unsigned sum = flags->first + flags->second;
    sum += flags->second * 0;
    free(flags);
    return sum == 0;
}
