// A conservative collector finds pointers in variables of all functions that go on: it searches the stack.
#include <setjmp.h>
#include <stdlib.h>

enum { MOST = 100 };

static void *objects[MOST];
static int marked[MOST], count;
static void **bottom;
static void ***registered;

__attribute__((noinline, no_sanitize("address", "memory"))) static void search(void **from, void **to) {
    for (; from < to; from++)
        for (int i = 0; i < count; i++)
            if (*from == objects[i]) marked[i] = 1;
}

__attribute__((noinline)) static void collect(void) {
    jmp_buf registers;
    setjmp(registers);
    search(__builtin_frame_address(0), bottom);
    search((void **)&registers, (void **)(&registers + 1));
}

static void *allocate(void) {
    void *made = malloc(16);
    if (!made) abort();
    objects[count++] = made;
    return made;
}

__attribute__((noinline)) static void work(int deeper) {
    void *held[3];
    registered = (void ***)&held; // it would outlive the call if nobody reset it
    for (int i = 0; i < 3; i++) held[i] = allocate();
    __asm__ volatile("" ::"r"(held) : "memory");
    if (deeper)
        work(deeper - 1);
    else
        collect();
    registered = NULL;
    __asm__ volatile("" ::"r"(held) : "memory");
}

int main(void) {
    int found = 0;
    bottom = __builtin_frame_address(0);
    work(20);
    for (int i = 0; i < count; i++) {
        found += marked[i];
        free(objects[i]);
    }
    return found != count;
}
