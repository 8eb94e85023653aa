// A block that a global points to is freed before the end of main.
// RUN: options --enable possible-leak
#include <stdlib.h>

static char *settings;

__attribute__((noinline)) static void load(void) {
    settings = malloc(123);
    settings[0] = 0;
}

int main(void) {
    load();
    free(settings);
    return 0;
}
