// A mapping that was the stack of an abandoned coroutine is read, written, and copied to a local array.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { SIZE = 65536 };

static ucontext_t here, there;

__attribute__((noinline)) static void fill(char *bytes, int size) {
    for (int i = 0; i < size; i++) bytes[i] = (char)i;
}

static void never_ends(void) {
    char small[20], large[1001];
    fill(small, 20);
    fill(large, 1001);
    swapcontext(&there, &here);
    fill(small, large[3]);
}

__attribute__((noinline)) static int sum(char *memory, int size) {
    char copy[1000];
    memcpy(copy, memory + SIZE - size, (size_t)size);
    int total = 0;
    for (int i = 0; i < 1000; i++) total += copy[i];
    return total;
}

int main(void) {
    char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    getcontext(&there);
    there.uc_stack.ss_sp = memory;
    there.uc_stack.ss_size = SIZE;
    there.uc_link = &here;
    makecontext(&there, never_ends, 0);
    swapcontext(&here, &there);
    int total = 0;
    for (int i = SIZE - 1; i >= SIZE / 2; i--) total += memory[i] != 0;
    for (int i = 0; i < SIZE; i++) memory[i] = 1;
    printf("%d %d\n", total > 0, sum(memory, 1000));
    return 0;
}
