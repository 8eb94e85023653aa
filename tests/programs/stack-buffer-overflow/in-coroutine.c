// A local array of a coroutine, whose stack is a mapping, is filled by one element more than it has.
// Memcheck misses this: memory of variables has no bounds for it.
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { SIZE = 1 << 16 };

static ucontext_t main_context, coroutine;
static int count;

__attribute__((noinline)) static void fill(int *numbers, int n) {
    for (int i = 0; i < n; i++) {
        numbers[i] = i; // EXPECT stack-buffer-overflow write 4 block 40 after 0
        if (i == 4) swapcontext(&coroutine, &main_context);
    }
}

static void body(void) {
    int numbers[10]; // BORN
    fill(numbers, count);
    printf("%d\n", numbers[3]);
}

int main(int argc, char **argv) {
    void *stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    count = 10 + argc;
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = SIZE;
    coroutine.uc_link = &main_context;
    makecontext(&coroutine, body, 0);
    swapcontext(&main_context, &coroutine);
    swapcontext(&main_context, &coroutine);
    return munmap(stack, SIZE);
}
