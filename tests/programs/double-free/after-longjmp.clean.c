// Cleanup is done only where the longjmp lands.
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf back;
static void *resource;

__attribute__((noinline)) static void fail(void) {

    longjmp(back, 1);
}

int main(void) {
    resource = malloc(31);
    if (setjmp(back) == 0)
        fail();
    free(resource);
    return 0;
}
