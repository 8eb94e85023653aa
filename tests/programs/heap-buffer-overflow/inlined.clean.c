// The access is in a function that is always inlined, two levels deep, and stays in the block.
#include <stdlib.h>

__attribute__((always_inline)) static inline void put(unsigned char *p, int i) {
    p[i] = 0xff;
}

__attribute__((always_inline)) static inline void put_all(unsigned char *p, int n) {
    for (int i = 0; i < n; i++)
        put(p, i);
}

int main(void) {
    unsigned char *p = malloc(33);
    put_all(p, 33);
    free(p);
    return 0;
}
