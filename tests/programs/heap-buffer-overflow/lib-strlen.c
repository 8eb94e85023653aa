// strlen of a block that is full and has no terminator.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = malloc(19); // ALLOC
    memset(s, 'a', 19);
    size_t n = strlen(s); // EXPECT heap-buffer-overflow read * block 19 after 0 in strlen
    s[18] = 0;
    n += strlen(s);
    free(s);
    return n == 99;
}
