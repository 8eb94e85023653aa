// Loops that an optimiser turns into vector code with overlapping or masked tails, over blocks of
// every length.
#include <stdlib.h>

__attribute__((noinline)) static void add(float *restrict a, const float *restrict b, int n) {
    for (int i = 0; i < n; i++)
        a[i] += b[i];
}

__attribute__((noinline)) static void gather(int *a, const int *index, const int *from, int n) {
    for (int i = 0; i < n; i++)
        if (index[i] >= 0)
            a[i] = from[index[i]];
}

__attribute__((noinline)) static int strided(const short *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i += 3)
        s += a[i];
    return s;
}

__attribute__((noinline)) static void reverse(unsigned char *p, int n) {
    for (int i = n - 1; i >= 0; i--)
        p[i] = (unsigned char)i;
}

int main(void) {
    int bad = 0;
    for (int n = 1; n < 70; n++) {
        float *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b);
        b[n - 1] = 1;
        add(a, b, n);
        bad += a[n - 1] != 1;
        int *to = calloc(n, sizeof *to), *index = malloc(n * sizeof *index), *one = malloc(sizeof *one);
        *one = 5;
        for (int i = 0; i < n; i++)
            index[i] = i % 2 ? -1 : 0;
        gather(to, index, one, n);
        bad += to[0] != 5;
        short *s = calloc(n, sizeof *s);
        bad += strided(s, n) != 0;
        unsigned char *p = malloc(n);
        reverse(p, n);
        bad += p[n - 1] != n - 1;
        free(a);
        free(b);
        free(to);
        free(index);
        free(one);
        free(s);
        free(p);
    }
    return bad;
}
