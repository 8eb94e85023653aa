// A tentative definition, which the linker places, is overrun by a loop that goes one too far.
// RUN: cflags -fcommon
#include <stdio.h>

int counts[12];
int total;

static void count(const char *text, int *into, int classes) {
    for (int i = 0; i < classes; i++)
        into[i] = text[i % 3];
}

int main(int argc, char **argv) {
    (void)argv;
    count("abc", counts, 11 + argc);
    for (int i = 0; i < 12; i++) total += counts[i];
    printf("%d\n", total);
    return 0;
}
