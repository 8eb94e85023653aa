// Frames are copied away from the stack and back as a whole, as code does that switches stacks.
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static void use(int *p) {
    __asm__ volatile("" ::"r"(p) : "memory");
    *p += 1;
}

__attribute__((noinline)) static void copy(char *from, char *to) {
    size_t size = (size_t)(to - from);
    char *saved = malloc(size);
    if (!saved) abort();
    memcpy(saved, from, size);
    memcpy(from, saved, size);
    free(saved);
}

__attribute__((noinline)) static int inner(char *top) {
    int here = 1;
    use(&here);
    copy((char *)&here - 32, top);
    copy((char *)__builtin_frame_address(0), top);
    return here;
}

int main(void) {
    int first = 0;
    char top[64];
    use(&first);
    memset(top, 0, sizeof top);
    return inner(top) != 2;
}
