// A newline is put behind the text that asprintf made.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    (void)argv;
    char *line;
    int length = asprintf(&line, "argc=%d ", argc);
    if (--length != 6)
        return 1;
    line[length] = '\n';
    line[length + 1] = 0;
    free(line);
    return 0;
}
