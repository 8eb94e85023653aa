// The pointer is one of two blocks, chosen at run time; the longer one is used to its end.
#include <stdlib.h>

int main(int argc, char **argv) {
    char *shorter = calloc(1, 20);
    char *longer = calloc(1, 40);
    char *p = argc < 0 ? shorter : longer;
    p[30] = 1;
    free(shorter);
    free(longer);
    return 0;
}
