// fclose closes the descriptor that fdopen was given.
// RUN: options --enable double-close
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int words(const char *path) {
    int file = open(path, O_RDONLY);
    FILE *stream = fdopen(file, "r");
    if (!stream) return 2;
    int first = fgetc(stream);
    fclose(stream);
    return first;
}

int main(void) { return words("/dev/null") != EOF; }
