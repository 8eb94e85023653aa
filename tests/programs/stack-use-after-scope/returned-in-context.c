// Coroutines read arrays of functions that have returned, on stacks of one block that they were given by makecontext.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { SIZE = 1 << 18 };

static ucontext_t main_context, contexts[2];
static char *names[2];

__attribute__((noinline)) static int sum(const char *bytes, int size) {
    int total = 0;
    for (int i = 0; i < size; i++) total += bytes[i];
    return total;
}

__attribute__((noinline)) static int keep(int which, int depth) {
    char name[40];
    memset(name, which + 1, sizeof name);
    if (depth > 0) return keep(which, depth - 1) + sum(name, 40);
    names[which] = name;
    return sum(names[which], 40);
}

__attribute__((noinline)) static int again(int depth) {
    char room[100];
    memset(room, 1, sizeof room);
    return depth > 0 ? again(depth - 1) + room[3] : sum(room, 100);
}

static void body(int which) {
    printf("%d %d\n", which, keep(which, 60));
    swapcontext(&contexts[which], &main_context);
    printf("%d %d\n", which, again(2));
    swapcontext(&contexts[which], &main_context);
    char first = names[which][0]; // EXPECT stack-use-after-scope read 1 block 40 inside 0
    printf("%d\n", first);
}

int main(void) {
    char *stacks = malloc(2 * SIZE);
    for (int i = 0; i < 2; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = stacks + i * SIZE;
        contexts[i].uc_stack.ss_size = SIZE;
        contexts[i].uc_link = &main_context;
        makecontext(&contexts[i], (void (*)(void))body, 1, i);
    }
    for (int i = 0; i < 6; i++) swapcontext(&main_context, &contexts[i % 2]);
    memset(stacks, 0, 2 * SIZE);
    free(stacks);
    return 0;
}
