// Two functions with the same code, which a compiler may merge; both stay in their block.
#include <stdlib.h>

__attribute__((noinline)) static void first(char *p, long i) {
    p[i] = 'x';
}

__attribute__((noinline)) static void second(char *p, long i) {
    p[i] = 'x';
}

int main(void) {
    char *p = malloc(8);
    first(p, 7);
    second(p, 0);
    free(p);
    return 0;
}
