// Two coroutines from makecontext, each on a stack from malloc, that hand a block back and forth.
#include <stdlib.h>
#include <ucontext.h>

static ucontext_t main_context, a, b;
static int *shared;

static void left(void) {
    for (int i = 0; i < 10; i++) {
        int local[100];
        local[99] = i;
        shared[i] = local[99];
        swapcontext(&a, &b);
    }
}

static void right(void) {
    for (int i = 0; i < 10; i++) {
        shared[i] *= 2;
        swapcontext(&b, &a);
    }
}

int main(void) {
    size_t size = 1 << 17;
    char *one = malloc(size), *two = malloc(size);
    shared = malloc(10 * sizeof *shared);
    getcontext(&a);
    a.uc_stack.ss_sp = one;
    a.uc_stack.ss_size = size;
    a.uc_link = &main_context;
    makecontext(&a, left, 0);
    getcontext(&b);
    b.uc_stack.ss_sp = two;
    b.uc_stack.ss_size = size;
    b.uc_link = &main_context;
    makecontext(&b, right, 0);
    swapcontext(&main_context, &a);
    int ok = shared[9] == 18;
    free(shared);
    free(one);
    free(two);
    return !ok;
}
