// A store through a constant null pointer, which an optimiser turns into a trap.
#include <stdlib.h>

int main(int argc, char **argv) {
    int value = 0;
    int *p = NULL;
    *p = 1; // EXPECT null-pointer-dereference write 4 address 0
    return value == 99;
}
