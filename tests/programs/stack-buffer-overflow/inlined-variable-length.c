// An inlined function with an array of variable length, whose frame is that of its caller, reads before it.
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static int peek(const char *p, int at) {
    return p[at];  // EXPECT stack-buffer-overflow read 1 block 90 before 1
}

__attribute__((always_inline)) static inline int first_of(size_t size, int at) {
    char bytes[size];
    memset(bytes, 1, size);
    return peek(bytes, at);
}

int main(void) {
    size_t most = (size_t)atoi("90");
    int total = 0;
    for (size_t size = 1; size <= most; size++)
        total += first_of(size, size < most ? 0 : -1);
    return total != 90;
}
