/* Prints its own stack and memory map. The comments name the lines that the
 * frames of `capture` and its callers must show. */
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>

int (*volatile callback)(int);

__attribute__((noinline)) static int capture(int depth)
{
    void *pcs[32];
    int count = backtrace(pcs, 32); /* frame: capture */
    for (int i = 0; i < count; i++)
        printf("pc %p\n", pcs[i]);
    FILE *maps = fopen("/proc/self/maps", "r");
    for (int c; (c = getc(maps)) != EOF;)
        putchar(c);
    return depth + count;
}

static inline __attribute__((always_inline)) int leaf(int depth)
{
    return capture(depth) + 1; /* frame: leaf inlined */
}

static inline __attribute__((always_inline)) int middle(int depth)
{
    return leaf(depth) * 2; /* frame: middle inlined */
}

__attribute__((noinline)) int outer(int depth)
{
    int result = middle(depth + 1); /* frame: outer */
    return result ^ depth;
}

#ifndef LIBRARY
int main(int argc, char **argv)
{
    (void)argv;
    callback = outer;
    int result = callback(argc); /* frame: main */
    return result == 12345;
}
#endif
