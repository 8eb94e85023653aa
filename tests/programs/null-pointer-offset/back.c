// The last character of no text is asked for.
// RUN: options --enable null-pointer-offset
#include <stddef.h>

static int ends_in(const char *text, int length, const char *place) {
    const char *last = text + length - 1; // EXPECT null-pointer-offset
    return last == place;
}

int main(int argc, char **argv) { return ends_in(argv[argc], argc + 1, argv[0]); }
