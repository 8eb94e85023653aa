// What follows a header is computed where there is no header.
// RUN: options --enable null-pointer-offset
#include <stddef.h>

static const char *payload(const char *header) {
    return header + 16; // EXPECT null-pointer-offset
}

int main(int argc, char **argv) { return payload(argv[argc]) == argv[0]; }
