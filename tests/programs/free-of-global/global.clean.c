// Frees a block that a global pointer points to.
#include <stdlib.h>

static char fallback[100];
static char *name = fallback;

int main(void) {
    name = malloc(100);
    name[0] = 'a';
    free(name);
    return 0;
}
