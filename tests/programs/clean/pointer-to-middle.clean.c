// Pointers to the middle and to the end of a block, with negative indices, in functions of their
// own.
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static int around(const int *middle, int radius) {
    int sum = 0;
    for (int i = -radius; i <= radius; i++)
        sum += middle[i];
    return sum;
}

__attribute__((noinline)) static int backwards(const int *end, int n) {
    int sum = 0;
    for (int i = 1; i <= n; i++)
        sum += end[-i];
    while (n--)
        sum -= *--end;
    return sum;
}

int main(void) {
    int *p = malloc(11 * sizeof *p);
    for (int i = 0; i < 11; i++)
        p[i] = i;
    int ok = around(p + 5, 5) == 55 && backwards(p + 11, 11) == 0;
    char *s = strdup("reverse me");
    for (char *a = s, *b = s + strlen(s); a < b;) {
        char t = *a;
        *a++ = *--b;
        *b = t;
    }
    ok &= strcmp(s, "em esrever") == 0;
    free(s);
    free(p);
    return !ok;
}
