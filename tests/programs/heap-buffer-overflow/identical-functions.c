// Two functions with the same code, which a compiler may merge; the second is the one that
// overruns.
#include <stdlib.h>

__attribute__((noinline)) static void first(char *p, long i) {
    p[i] = 'x';
}

__attribute__((noinline)) static void second(char *p, long i) {
    p[i] = 'x'; // EXPECT heap-buffer-overflow write 1 block 8 before 1
}

int main(void) {
    char *p = malloc(8); // ALLOC
    first(p, 7);
    second(p, -1);
    free(p);
    return 0;
}
