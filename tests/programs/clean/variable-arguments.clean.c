// Variadic functions with more arguments than registers, of every kind: structures by value, long
// doubles, pointers to blocks.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    long a, b;
};

struct big {
    char c[100];
};

static double sum(const char *kinds, ...) {
    va_list ap;
    va_start(ap, kinds);
    double s = 0;
    for (const char *k = kinds; *k; k++)
        switch (*k) {
        case 'i':
            s += va_arg(ap, int);
            break;
        case 'd':
            s += va_arg(ap, double);
            break;
        case 'L':
            s += (double)va_arg(ap, long double);
            break;
        case 'p':
            s += va_arg(ap, struct pair).b;
            break;
        case 'B':
            s += va_arg(ap, struct big).c[99];
            break;
        case '*':
            s += *va_arg(ap, int *);
            break;
        }
    va_end(ap);
    return s;
}

int main(void) {
    int *p = malloc(sizeof *p);
    *p = 100;
    struct pair pair = {1, 2};
    struct big big;
    memset(&big, 3, sizeof big);
    double s = sum("iiiiiiiddddddddddLpB*pL", 1, 1, 1, 1, 1, 1, 1, 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 5.L, pair, big, p,
                   pair, 7.L);
    free(p);
    return s != 17 + 5 + 2 + 3 + 100 + 2 + 7;
}
