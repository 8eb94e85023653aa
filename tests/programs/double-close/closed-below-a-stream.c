// The descriptor of a stream is closed, and then the stream.
// RUN: options --enable double-close
#include <stdio.h>
#include <unistd.h>

int main(void) {
    FILE *stream = fopen("/dev/null", "r");
    if (!stream) return 2;
    close(fileno(stream));
    fclose(stream); // EXPECT double-close in fclose
    return 0;
}
