// A bump allocator inside one large block, with offsets from its base as links, negative ones
// included.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static char *arena;
static size_t used;

static void *take(size_t n) {
    void *p = arena + used;
    used += (n + 7) & ~(size_t)7;
    return p;
}

struct relative {
    int32_t next;
    int value;
};

__attribute__((noinline)) static struct relative *follow(struct relative *r) {
    return r->next ? (struct relative *)((char *)r + r->next) : NULL;
}

int main(void) {
    arena = malloc(4096);
    struct relative *r[30];
    for (int i = 0; i < 30; i++) {
        r[i] = take(sizeof *r[i]);
        take(i);
        r[i]->value = i;
        r[i]->next = 0;
    }
    for (int i = 29; i > 0; i--)
        r[i]->next = (int32_t)((char *)r[i - 1] - (char *)r[i]);
    r[0]->next = 0;
    int sum = 0;
    for (struct relative *at = r[29]; at; at = follow(at))
        sum += at->value;
    memset(arena + used, 0xff, 4096 - used);
    free(arena);
    return sum != 29 * 30 / 2;
}
