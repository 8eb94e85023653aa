// A parameter that is declared nonnull gets a null pointer.
// RUN: options --enable nonnull-argument
#include <stddef.h>

__attribute__((nonnull, noinline)) static int length(const char *text, int most) {
    int count = 0; // EXPECT nonnull-argument
    while (count < most && text[count])
        count++;
    return count;
}

int main(int argc, char **argv) {
    return length(argv[argc], argc - 1) == 77;
}
