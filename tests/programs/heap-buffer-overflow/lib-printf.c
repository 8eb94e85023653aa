// printf of %s with a string that has no terminator.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = malloc(9); // ALLOC
    memset(s, 'b', 9);
    printf("[%s]\n", s); // EXPECT heap-buffer-overflow read * block 9 after 0 in printf
    free(s);
    return 0;
}
