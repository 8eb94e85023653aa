// sscanf stores a number to the last element, and a word with a width that just fits.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    int *p = calloc(3, sizeof *p);
    char *word = malloc(5);
    int n = sscanf("42 abcdefgh", "%d %4s", p + 2, word);
    int ok = n == 2 && strlen(word) == 4;
    free(p);
    free(word);
    return !ok;
}
