// A copy begins before memory from alloca; only optimisation sees both.
// RUN: options --enable use-of-uninitialized-value
#include <alloca.h>
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static void copy(void) {
    char *source = alloca(100);
    char dest[100];
    memset(source, 's', 99);
    source[99] = '\0';
    char *begin = source - 8;
    memcpy(dest, begin, 100); // EXPECT stack-buffer-overflow read 100 block 100 before 8
    dest[99] = '\0';
    puts(dest);
}

int main(void) {
    copy();
    return 0;
}
