// A local array is overrun in a function that is called where a longjmp has left another one.
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf back;

static int memcmp_one(const void *a, const void *b) {
    return *(const char *)a - *(const char *)b;
}

__attribute__((noinline)) static void leave(int code) {
    char small[24], other[40];
    memset(small, code, sizeof small);
    memset(other, small[3], sizeof other);
    longjmp(back, 1 + other[2]);
}

__attribute__((noinline)) static void use(int size) {
    char large[1000];
    memset(large, 1, (size_t)size);  // EXPECT stack-buffer-overflow write 1001 block 1000 after 0
    qsort(large, 1000, 1, memcmp_one);
}

int main(void) {
    static void (*volatile calls[])(int) = {leave, use};
    volatile int i = 0;
    setjmp(back);
    while (i < 2)
        calls[i++](1001);
    return 0;
}
