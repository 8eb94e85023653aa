// Pointers with a tag in their low bits and in their high bits, taken off by masks and by pointer
// arithmetic.
#include <stdint.h>
#include <stdlib.h>

struct cell {
    long value[2];
};

static void *tag(struct cell *c, int t) {
    return (char *)c + t;
}

static int tag_of(void *p) {
    return (int)((uintptr_t)p & 7);
}

__attribute__((noinline)) static long by_mask(void *p) {
    return ((struct cell *)((uintptr_t)p & ~(uintptr_t)7))->value[1];
}

__attribute__((noinline)) static long by_subtraction(void *p) {
    return ((struct cell *)((char *)p - tag_of(p)))->value[0];
}

__attribute__((noinline)) static long by_known_tag(void *p) {
    return *(long *)((char *)p - 5 + 8);
}

static uint64_t pack(struct cell *c, unsigned short high) {
    return (uint64_t)(uintptr_t)c | (uint64_t)high << 48;
}

static struct cell *unpack(uint64_t packed) {
    return (struct cell *)(uintptr_t)(packed & 0xffffffffffff);
}

int main(void) {
    long sum = 0;
    for (int i = 1; i < 8; i++) {
        struct cell *c = malloc(sizeof *c);
        c->value[0] = 1;
        c->value[1] = 2;
        sum += by_mask(tag(c, i)) + by_subtraction(tag(c, i)) + by_known_tag(tag(c, 5));
        uint64_t packed = pack(c, 0xabcd);
        sum += unpack(packed)->value[1];
        free(unpack(packed));
    }
    return sum != 7 * 7;
}
