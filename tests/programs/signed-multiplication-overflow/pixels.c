// The bytes of a picture are multiplied as int, and converted afterwards.
// RUN: options --enable signed-multiplication-overflow
#include <stddef.h>

static size_t bytes(int width, int height) {
    return (size_t)(width * height * 4); // EXPECT signed-multiplication-overflow
}

int main(int argc, char **argv) {
    (void)argv;
    return bytes(40000, 30000 + argc) == 0;
}
