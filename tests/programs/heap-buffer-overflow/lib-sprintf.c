// sprintf of a number that has one digit more than the block has room for.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char *s = malloc(6); // ALLOC
    int n = sprintf(s, "%d", 123456); // EXPECT heap-buffer-overflow write * block 6 after 0 in sprintf
    free(s);
    return n == 99;
}
