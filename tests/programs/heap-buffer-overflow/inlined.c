// The access is in a function that is always inlined, two levels deep.
#include <stdlib.h>

__attribute__((always_inline)) static inline void put(unsigned char *p, int i) {
    p[i] = 0xff; // EXPECT heap-buffer-overflow write 1 block 33 after 0
}

__attribute__((always_inline)) static inline void put_all(unsigned char *p, int n) {
    for (int i = 0; i < n; i++)
        put(p, i);
}

int main(void) {
    unsigned char *p = malloc(33); // ALLOC
    put_all(p, 34);
    free(p);
    return 0;
}
