// Loads that stand behind a test stay there: a pointer is only read when its length says so.
#include <stdlib.h>

struct slice {
    const char *p;
    int n;
};

__attribute__((noinline)) static int first(struct slice s) {
    return s.n > 0 ? s.p[0] : -1;
}

__attribute__((noinline)) static int either(int which, const int *a, const int *b) {
    return which ? *a : *b;
}

__attribute__((noinline)) static int until(const char *p, int n, char what) {
    int i = 0;
    while (i < n && p[i] != what)
        i++;
    return i;
}

int main(void) {
    char *p = malloc(9);
    for (int i = 0; i < 9; i++)
        p[i] = 'a';
    int x = 3;
    int ok = first((struct slice){p + 9, 0}) == -1 && first((struct slice){NULL, 0}) == -1 && either(1, &x, NULL) == 3 &&
             either(0, (int *)16, &x) == 3 && until(p, 9, 'b') == 9;
    free(p);
    ok &= first((struct slice){p, 0}) == -1;
    return !ok;
}
