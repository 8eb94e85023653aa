// What alloca returned is filled after longjmp has left others behind, in this function and in its callees.
#include <alloca.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf back;

__attribute__((noinline)) static void fill(char *p, size_t size) {
    for (size_t i = 0; i < size; i++)
        p[i] = 'x';
}

__attribute__((noinline)) static void leave(size_t size) {
    fill(alloca(size), size);
    longjmp(back, 1);
}

__attribute__((noinline)) static void use(size_t size) {
    struct large {
        char bytes[512];
    } copies[2];
    fill(copies[0].bytes, 512);
    copies[1] = copies[0];
    char *p = alloca(512);
    fill(p, size - 512 + (size_t)copies[1].bytes[3] - 'x');
}

int main(void) {
    static void (*volatile calls[])(size_t) = {leave, leave, use};
    volatile int i = 0;
    volatile size_t size = 1000;
    setjmp(back);
    if (i < 2)
        fill(alloca(size), size);
    else
        size = 1024;
    while (i < 3)
        calls[i++](size);
    return 0;
}
