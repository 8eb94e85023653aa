// A function that is given a local array writes up to its end.
#include <stddef.h>

__attribute__((noinline)) static void fill(char *p, size_t size) {
    for (size_t i = 0; i < size; i++)
        p[i] = 'x';
}

int main(void) {
    char buffer[80];
    fill(buffer, sizeof buffer);
    return buffer[79] != 'x';
}
