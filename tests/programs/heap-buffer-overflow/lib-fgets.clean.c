// fgets is given the size of the buffer, and the line is longer.
// RUN: stdin "a line that is rather longer than the buffer\n"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *p = malloc(16);
    char *line = fgets(p, 16, stdin);
    int n = line ? (int)strlen(line) : 0;
    free(p);
    return n != 15;
}
