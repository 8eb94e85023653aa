// An index of the last element of a global array.
#include <string.h>

char first[64], second[4096];

int main(void) {
    memset(second, 1, sizeof second);
    volatile long at = 63;
    first[at] = 1;
    return second[9] != 1;
}
