// strchr runs past the end of a block without a terminator.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = malloc(6); // ALLOC
    memcpy(s, "abcdef", 6);
    char *found = strchr(s, 'z'); // EXPECT heap-buffer-overflow read * block 6 after 0 in strchr
    int at = found ? (int)(found - s) : 0;
    free(s);
    return at == 99;
}
