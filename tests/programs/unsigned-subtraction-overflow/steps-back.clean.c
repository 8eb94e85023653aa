// The negative index of p - n was taken for a difference of the program where rules about such sums are on.
// RUN: options --locate always --enable unsigned-subtraction-overflow --enable pointer-overflow --enable null-pointer-offset
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    const char *name = argv[0];
    size_t length = strlen(name), shown = length / 2 + (size_t)argc;
    const char *end = name + length;
    size_t left = 2 * length - shown;
    unsigned back = (unsigned)argc;
    printf("%s %s %zu\n", end - shown, end - back, left);
    return 0;
}
