// A coroutine of makecontext, on a stack of its own, writes behind a block of the main context.
#include <stdlib.h>
#include <ucontext.h>

static ucontext_t main_context, side;
static char *shared;

static void fill(void) {
    for (int i = 0; i <= 20; i++) {
        shared[i] = (char)i; // EXPECT heap-buffer-overflow write 1 block 20 after 0
        swapcontext(&side, &main_context);
    }
}

int main(void) {
    size_t size = 1 << 16;
    char *stack = malloc(size);
    shared = malloc(20); // ALLOC
    getcontext(&side);
    side.uc_stack.ss_sp = stack;
    side.uc_stack.ss_size = size;
    side.uc_link = &main_context;
    makecontext(&side, fill, 0);
    for (int i = 0; i < 21; i++)
        swapcontext(&main_context, &side);
    free(shared);
    free(stack);
    return 0;
}
