// printf of %s with a string after free, as a second argument after a number.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = strdup("text"); // ALLOC
    free(s); // FREE
    printf("%d: %s\n", 1, s); // EXPECT dangling-pointer-dereference read * block 5 inside 0 in printf
    return 0;
}
