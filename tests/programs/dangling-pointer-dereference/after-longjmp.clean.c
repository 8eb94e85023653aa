// An error path jumps back to code that uses the buffer and then frees it.
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf back;
static char *buffer;

__attribute__((noinline)) static void parse(int bad) {
    if (bad) {

        longjmp(back, 1);
    }
}

int main(void) {
    buffer = calloc(1, 18);
    if (setjmp(back) == 0)
        parse(1);
    int v = buffer[17];
    free(buffer);
    return v;
}
