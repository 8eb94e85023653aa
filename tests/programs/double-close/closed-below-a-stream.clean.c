// A stream is closed.
// RUN: options --enable double-close
#include <stdio.h>

int main(void) {
    FILE *stream = fopen("/dev/null", "r");
    if (!stream) return 2;
    fclose(stream);
    return 0;
}
