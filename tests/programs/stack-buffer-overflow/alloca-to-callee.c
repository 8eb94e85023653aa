// What alloca returned, with what many earlier rounds have allocated on the stack, is overrun by a callee.
#include <alloca.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static void fill(char *p, size_t size) {
    for (size_t i = 0; i < size; i++)
        p[i] = 'x';  // EXPECT stack-buffer-overflow write 1 block 33 after 0
}

int main(void) {
    int rounds = atoi("20000");
    char *first = NULL;
    for (int i = 1; i <= rounds; i++) {
        size_t size = (size_t)i % 100;
        char *p = alloca(size);
        fill(p, i == 10033 ? size + 1 : size);
        if (i == 1)
            first = p;
    }
    fill(first, 1);
    return *first != 'x';
}
