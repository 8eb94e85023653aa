// Accesses of 1, 2, 4, 8 and 16 bytes, aligned or not, that end exactly where blocks of 16 to 80
// bytes end.
#include <stdlib.h>
#include <string.h>

typedef short i2 __attribute__((aligned(1)));
typedef int i4 __attribute__((aligned(1)));
typedef long i8 __attribute__((aligned(1)));
typedef long v2 __attribute__((vector_size(16), aligned(1)));

__attribute__((noinline)) static long last(const char *end) {
    return end[-1] + ((const i2 *)end)[-1] + ((const i4 *)end)[-1] + ((const i8 *)end)[-1] + ((const v2 *)end)[-1][1];
}

__attribute__((noinline)) static void first(char *p, long x) {
    *(v2 *)p = (v2){x, x};
    *(i8 *)p = x;
    *(i4 *)p = (int)x;
    *(i2 *)p = (short)x;
    *p = (char)x;
}

int main(void) {
    long sum = 0;
    for (int n = 16; n <= 80; n++) {
        char *p = calloc(n, 1);
        first(p, n);
        first(p + n - 16, 0);
        sum += last(p + n);
        free(p);
    }
    return sum != 0;
}
