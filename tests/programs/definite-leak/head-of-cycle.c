// A lost cycle, entered in the middle of its largest block: that one is the leak, what it leads to is indirect.
#include <stdlib.h>

struct use { void *of; };
struct context { struct use *use; char room[200]; };
struct pool { struct context *context; void *more[2047]; };

static __attribute__((noinline)) void lose(void) {
    struct pool *pool = malloc(sizeof *pool); // EXPECT definite-leak block 16384 count 3 bytes 16600 indirect 2
    pool->context = malloc(sizeof *pool->context);
    pool->context->use = malloc(sizeof *pool->context->use);
    pool->context->use->of = &pool->more[10];
}

static __attribute__((noinline)) void clear(void) {
    volatile char stack[4000];
    for (int i = 0; i < 4000; i++) stack[i] = 0;
}

int main(void) {
    lose();
    clear();
    return 0;
}
