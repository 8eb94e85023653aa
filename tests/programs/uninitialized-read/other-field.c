// Of a unit of bit-fields one is set, and one in another byte is read.
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
    struct flags *flags = malloc(sizeof *flags); // ALLOC
    if (!flags)
        return 1;
    set(flags, (unsigned)argc);
    unsigned sum = flags->first + flags->second;
    sum += flags->fourth * 0; // EXPECT uninitialized-read read 2 block 4 inside 2
    free(flags);
    return sum == 0;
}
