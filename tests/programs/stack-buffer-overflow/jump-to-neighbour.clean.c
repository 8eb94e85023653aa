// An index leads into the middle of its own local array.
#include <stdint.h>
#include <string.h>

__attribute__((noinline)) static void clear(char *p, size_t size) { memset(p, 0, size); }

int main(void) {
    char first[64], second[64];
    clear(first, sizeof first);
    clear(second, sizeof second);
    volatile intptr_t far = 0 + 8;
    first[far] = 1;
    return second[7];
}
