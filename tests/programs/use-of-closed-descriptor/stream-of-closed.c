// A stream is written whose descriptor was closed on its own: what it has buffered is lost.
// RUN: options --enable use-of-closed-descriptor
#include <stdio.h>
#include <unistd.h>

int main(void) {
    FILE *stream = fopen("/dev/null", "w");
    if (!stream) return 2;
    fputs("text", stream);
    close(fileno(stream));
    fflush(stream); // EXPECT use-of-closed-descriptor in fflush
    return 0;
}
