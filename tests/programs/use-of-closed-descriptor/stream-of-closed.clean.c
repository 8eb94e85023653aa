// A stream is written and flushed twice.
// RUN: options --enable use-of-closed-descriptor
#include <stdio.h>
#include <unistd.h>

int main(void) {
    FILE *stream = fopen("/dev/null", "w");
    if (!stream) return 2;
    fputs("text", stream);
    fflush(stream);
    fflush(stream);
    return fclose(stream) != 0;
}
