// The header is tested first.
// RUN: options --enable null-pointer-offset
#include <stddef.h>

static const char *payload(const char *header) {
    return header ? header + 16 : NULL;
}

int main(int argc, char **argv) { return payload(argv[argc]) == argv[0]; }
