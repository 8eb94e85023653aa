// fgets into a buffer before free.
// RUN: stdin "a line\n"
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char *p = malloc(80);

    char *line = fgets(p, 80, stdin);
    free(p);
    return !line;
}
