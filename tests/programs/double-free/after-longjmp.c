// Cleanup is done before a longjmp and again where it lands.
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf back;
static void *resource;

__attribute__((noinline)) static void fail(void) {
    free(resource); // FREE
    longjmp(back, 1);
}

int main(void) {
    resource = malloc(31); // ALLOC
    if (setjmp(back) == 0)
        fail();
    free(resource); // EXPECT double-free block 31 inside 0
    return 0;
}
