// The array that was a coroutine's stack is filled, after the coroutine has ended or was left for good.
#include <ucontext.h>

enum { SIZE = 1 << 17 };

static ucontext_t main_context, coroutine;

static void body(int leave) {
    volatile char local[100];
    for (int i = 0; i < 100; i++)
        local[i] = (char)i;
    if (leave && local[99] == 99)
        swapcontext(&coroutine, &main_context);
}

static void run(char *stack, int leave, int count) {
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = SIZE;
    coroutine.uc_link = &main_context;
    makecontext(&coroutine, (void (*)(void))body, 1, leave);
    swapcontext(&main_context, &coroutine);
    for (int i = 0; i < count; i++)
        stack[i] = (char)i;
}

int main(void) {
    char stack[SIZE];
    run(stack, 0, SIZE);
    run(stack, 1, SIZE);
    return stack[1] != 1;
}
