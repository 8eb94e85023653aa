// realloc of the null pointer, to every size up and down, to the same size; the contents stay.
#include <stdlib.h>

static int check(const unsigned char *p, int n) {
    for (int i = 0; i < n; i++)
        if (p[i] != (unsigned char)(i * 7))
            return 0;
    return 1;
}

int main(void) {
    unsigned char *p = realloc(NULL, 1);
    p[0] = 0;
    int n = 1, ok = 1;
    while (n < 100000) {
        int larger = n + n / 3 + 1;
        p = realloc(p, larger);
        ok &= check(p, n);
        for (int i = n; i < larger; i++)
            p[i] = (unsigned char)(i * 7);
        n = larger;
    }
    while (n > 1) {
        n = n * 2 / 3;
        p = realloc(p, n);
        p = realloc(p, n);
        ok &= check(p, n);
    }
    free(p);
    return !ok;
}
