// A cycle, entered in the middle of its largest block, to which a pointer stays.
#include <stdlib.h>

struct use { void *of; };
struct context { struct use *use; char room[200]; };
struct pool { struct context *context; void *more[2047]; };

static struct pool *kept;

static __attribute__((noinline)) void lose(void) {
    struct pool *pool = malloc(sizeof *pool);
    pool->context = malloc(sizeof *pool->context);
    pool->context->use = malloc(sizeof *pool->context->use);
    pool->context->use->of = &pool->more[10];
    kept = pool;
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
