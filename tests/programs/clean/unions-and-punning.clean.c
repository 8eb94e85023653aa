// A union of differently sized members, allocated for the one in use; floats read as integers
// through memcpy.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct head {
    int kind;
};

struct small {
    struct head head;
    char c;
};

struct large {
    struct head head;
    double d[20];
};

union any {
    struct head head;
    struct small small;
    struct large large;
};

static double value(const union any *a) {
    return a->head.kind == 0 ? a->small.c : a->large.d[19];
}

int main(void) {
    struct small *s = malloc(sizeof *s);
    *s = (struct small){{0}, 3};
    struct large *l = calloc(1, sizeof *l);
    l->head.kind = 1;
    l->d[19] = 4;
    int ok = value((union any *)s) + value((union any *)l) == 7;
    float *f = malloc(sizeof *f);
    *f = 1;
    uint32_t bits;
    memcpy(&bits, f, sizeof bits);
    ok &= bits == 0x3f800000;
    free(s);
    free(l);
    free(f);
    return !ok;
}
