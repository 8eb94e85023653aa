// sscanf stores a number to the element after the last.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    int *p = calloc(3, sizeof *p); // ALLOC
    char *word = malloc(5);
    int n = sscanf("42 abcdefgh", "%d %4s", p + 3, word); // EXPECT heap-buffer-overflow write 4 block 12 after 0 in sscanf
    int ok = n == 2 && strlen(word) == 4;
    free(p);
    free(word);
    return !ok;
}
