// Frees a global array.
#include <stdlib.h>

static char fallback[100];
static char *name = fallback;

int main(void) {
    name[0] = 'a';
    free(name); // EXPECT free-of-global block 100
    return 0;
}
