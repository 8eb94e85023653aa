// An index leads from one local array into the middle of another one, over all that lies between.
#include <stdint.h>
#include <string.h>

__attribute__((noinline)) static void clear(char *p, size_t size) { memset(p, 0, size); }

int main(void) {
    char first[64], second[64];
    clear(first, sizeof first);
    clear(second, sizeof second);
    volatile intptr_t far = (intptr_t)second - (intptr_t)first + 8;
    first[far] = 1;  // EXPECT stack-buffer-overflow write 1 block 64
    return second[7];
}
