// A table of names has fewer entries than the values that index it.
#include <stdio.h>

static const char *const names[] = {"red", "green", "blue"};

int main(int argc, char **argv) {
    volatile int colour = argc + 2;
    return names[colour] == argv[0];  // EXPECT global-buffer-overflow read 8 block 24 after 0
}
