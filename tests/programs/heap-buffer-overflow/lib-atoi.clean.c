// strtol reads digits that end with the last byte of the block, which is no digit.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = malloc(4);
    memcpy(s, "123;", 4);
    long v = strtol(s, NULL, 10);
    free(s);
    return v == 99;
}
