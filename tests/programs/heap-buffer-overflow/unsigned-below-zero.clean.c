// The element before a[i], and elements behind an unsigned index that wraps to 0.
#include <stdlib.h>

int main(int argc, char **argv) {
    char *a = calloc(32, 1);
    unsigned i = (unsigned)argc, last = 0u - i;
    a[i] = 1;
    a[i - 1] = 2;
    a[last + 1] = 3;
    a[last + 2] = 4;
    a[last + 12] = 5;
    free(a);
    return 0;
}
