// A store through a pointer that is null only in a branch that is not taken.
#include <stdlib.h>

int main(int argc, char **argv) {
    int value = 0;
    int *p = argc > 0 ? &value : NULL;
    *p = 1;
    return value == 99;
}
