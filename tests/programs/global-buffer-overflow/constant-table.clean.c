// A table of names is indexed with its last index.
#include <stdio.h>

static const char *const names[] = {"red", "green", "blue"};

int main(int argc, char **argv) {
    volatile int colour = argc + 1;
    return names[colour] == argv[0];
}
