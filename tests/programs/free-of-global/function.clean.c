// Frees a block that holds the address of a function.
#include <stdlib.h>

static int answer(void) {
    return 42;
}

int main(void) {
    int (**p)(void) = malloc(sizeof *p);
    *p = answer;
    int v = (*p)();

    free(p);
    return v != 42;
}
