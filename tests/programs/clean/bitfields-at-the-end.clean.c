// Bit fields, packed structures and odd-sized structures that are the last thing in their blocks.
#include <stdlib.h>
#include <string.h>

struct __attribute__((packed)) packed {
    char a;
    int b : 20;
    long c;
    short d;
};

struct bits {
    unsigned a : 3, b : 13, c : 1;
    unsigned char d : 7;
};

struct five {
    char c[5];
};

int main(void) {
    struct packed *p = malloc(sizeof *p);
    memset(p, 0, sizeof *p);
    p->b = -3;
    p->c = 1L << 40;
    p->d = 9;
    struct bits *b = calloc(1, sizeof *b);
    b->c = 1;
    b->d = 77;
    b->b += 5;
    struct five *f = malloc(3 * sizeof *f);
    f[2] = (struct five){"abcd"};
    f[0] = f[1] = f[2];
    int ok = p->b == -3 && p->d == 9 && b->d == 77 && b->b == 5 && !memcmp(f[0].c, "abcd", 5);
    free(p);
    free(b);
    free(f);
    return !ok;
}
