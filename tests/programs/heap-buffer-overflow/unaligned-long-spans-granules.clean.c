// An unaligned 8-byte load spans two granules and takes in all of the second one's 3 bytes.
#include <stdlib.h>
#include <string.h>

typedef long unaligned_long __attribute__((aligned(1)));

static long load(const char *p) {
    return *(const unaligned_long *)p;
}

int main(void) {
    char *p = malloc(11);
    memset(p, 0, 10);
    long v = load(p + 3);
    free(p);
    return v == 1;
}
