// fgets is given a larger size than the buffer has, and the line is that long.
// RUN: stdin "a line that is rather longer than the buffer\n"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *p = malloc(16); // ALLOC
    char *line = fgets(p, 32, stdin); // EXPECT heap-buffer-overflow write * block 16 after 0 in fgets
    int n = line ? (int)strlen(line) : 0;
    free(p);
    return n != 31;
}
