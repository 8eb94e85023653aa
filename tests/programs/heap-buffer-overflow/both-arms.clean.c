// Both arms of a branch write the last element.
#include <stdlib.h>

int main(int argc, char **argv) {
    int *p = malloc(3 * sizeof *p);
    if (argc > 1)
        p[2] = argc;
    else
        p[2] = -1;
    free(p);
    return 0;
}
