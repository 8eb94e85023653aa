// A function that is given a local array writes past its end.
#include <stddef.h>

__attribute__((noinline)) static void fill(char *p, size_t size) {
    for (size_t i = 0; i < size; i++)
        p[i] = 'x';  // EXPECT stack-buffer-overflow write 1 block 80 after 0
}

int main(void) {
    char buffer[80];
    fill(buffer, sizeof buffer + 1);
    return buffer[79] != 'x';
}
