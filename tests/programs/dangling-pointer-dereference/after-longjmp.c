// An error path frees a buffer and jumps back to code that uses it.
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf back;
static char *buffer;

__attribute__((noinline)) static void parse(int bad) {
    if (bad) {
        free(buffer); // FREE
        longjmp(back, 1);
    }
}

int main(void) {
    buffer = calloc(1, 18); // ALLOC
    if (setjmp(back) == 0)
        parse(1);
    int v = buffer[17]; // EXPECT dangling-pointer-dereference read 1 block 18 inside 17
    return v;
}
