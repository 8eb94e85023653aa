// A block is aligned by hand, and the address before alignment is freed.
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    char *raw = malloc(200);
    char *p = (char *)(((uintptr_t)raw + 64) & ~(uintptr_t)63);
    p[100] = 1;
    free(raw);
    return 0;
}
