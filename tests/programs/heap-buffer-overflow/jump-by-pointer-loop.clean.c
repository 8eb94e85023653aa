// The pointer of a loop is advanced by three through its block.
#include <stdlib.h>

__attribute__((noinline)) static void mark(char *p, long stride, int n) {
    for (int i = 0; i < n; i++, p += stride)
        *p = 'm';
}

int main(void) {
    char *a = calloc(1, 48);
    char *b = calloc(1, 48);
    long stride = 3;
    mark(b, 1, 48);
    char *p = a;
    for (int i = 0; i < 2; i++, p += stride)
        *p = 'x';
    free(a);
    free(b);
    return 0;
}
