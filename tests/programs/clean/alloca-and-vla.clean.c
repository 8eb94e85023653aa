// alloca in a loop and arrays of variable length, passed to functions, with a heap block between
// them.
#include <alloca.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static int sum(const char *p, int n) {
    int s = 0;
    while (n-- > 0)
        s += p[n];
    return s;
}

__attribute__((noinline)) static int nested(int n) {
    char vla[n][n + 1];
    memset(vla, 1, sizeof vla);
    char *heap = malloc(n);
    memcpy(heap, vla[n - 1] + 1, n);
    int s = sum(heap, n) + (n > 1 ? nested(n - 1) : 0);
    free(heap);
    return s;
}

int main(void) {
    int s = 0;
    char *kept[10];
    for (int i = 0; i < 10; i++) {
        kept[i] = alloca(i + 1);
        memset(kept[i], 1, i + 1);
    }
    for (int i = 0; i < 10; i++)
        s += sum(kept[i], i + 1);
    return s != 55 || nested(20) != 210;
}
