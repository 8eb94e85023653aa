// An index leads from one global array far away from it.
#include <string.h>

char first[64], second[4096];

int main(void) {
    memset(second, 1, sizeof second);
    volatile long at = 2000;
    first[at] = 1;  // EXPECT global-buffer-overflow write 1 block 64
    return second[9] != 1;
}
