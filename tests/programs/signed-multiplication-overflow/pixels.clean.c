// The bytes of a picture are multiplied as size_t.
// RUN: options --enable signed-multiplication-overflow
#include <stddef.h>

static size_t bytes(int width, int height) {
    return (size_t)width * (size_t)height * 4;
}

int main(int argc, char **argv) {
    (void)argv;
    return bytes(40000, 30000 + argc) == 0;
}
