// longjmp over recursive frames that hold heap blocks, many times; the blocks are freed from a list
// of the program's own.
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf back;
static void *pending[100];
static int count;

__attribute__((noinline)) static int dive(int depth) {
    char *volatile p = malloc(depth + 1);
    pending[count++] = p;
    p[depth] = 1;
    if (depth == 20)
        longjmp(back, depth);
    return dive(depth + 1) + p[depth];
}

int main(void) {
    volatile int total = 0;
    for (volatile int i = 0; i < 50; i++) {
        int depth = setjmp(back);
        if (!depth)
            dive(0);
        total += depth;
        while (count)
            free(pending[--count]);
    }
    return total != 50 * 20;
}
