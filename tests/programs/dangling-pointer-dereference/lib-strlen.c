// strlen of a string after free.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = strdup("some text"); // ALLOC
    free(s); // FREE
    size_t n = strlen(s); // EXPECT dangling-pointer-dereference read * block 10 inside 0 in strlen
    return n == 99;
}
