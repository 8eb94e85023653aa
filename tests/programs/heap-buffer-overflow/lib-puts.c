// puts of a string that has no terminator.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = malloc(24); // ALLOC
    memset(s, 'c', 24);
    puts(s); // EXPECT heap-buffer-overflow read * block 24 after 0 in puts
    free(s);
    return 0;
}
