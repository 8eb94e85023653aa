// A coroutine on a stack from malloc copies a string to a local array that is one byte too small.
// Memcheck misses this: memory of variables has no bounds for it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { SIZE = 1 << 16 };

static ucontext_t main_context, coroutine;
static const char *word;

__attribute__((noinline)) static int sum(const char *bytes, int size) {
    int total = 0;
    for (int i = 0; i < size; i++) total += bytes[i];
    return total;
}

static void body(void) {
    char before[24], name[8], after[24];
    memset(before, 1, sizeof before);
    memset(after, 1, sizeof after);
    swapcontext(&coroutine, &main_context);
    strcpy(name, word); // EXPECT stack-buffer-overflow write 9 block 8 after 0 in strcpy
    printf("%d %d\n", sum(name, 8), sum(before, 24) + sum(after, 24));
}

int main(int argc, char **argv) {
    char *stack = malloc(SIZE);
    word = argc ? "whenceof" : "";
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = SIZE;
    coroutine.uc_link = &main_context;
    makecontext(&coroutine, body, 0);
    for (int i = 0; i < 2; i++) swapcontext(&main_context, &coroutine);
    memset(stack, 0, SIZE);
    int left = sum(stack, SIZE);
    free(stack);
    return left;
}
