// A block is overrun in the code that runs after a longjmp over two frames.
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf back;

__attribute__((noinline)) static void inner(int depth) {
    volatile char frame[100];
    frame[depth] = 1;
    if (depth == 3)
        longjmp(back, depth);
    inner(depth + 1);
}

int main(void) {
    char *volatile p = malloc(3); // ALLOC
    int depth = setjmp(back);
    if (depth == 0)
        inner(0);
    p[depth] = 1; // EXPECT heap-buffer-overflow write 1 block 3 after 0
    free(p);
    return 0;
}
