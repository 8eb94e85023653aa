// Frees a block that a thread-local pointer points to.
#include <stdlib.h>

static _Thread_local char scratch[200];
static _Thread_local char *current;

int main(void) {
    current = malloc(200);
    current[199] = 1;
    free(current);
    return 0;
}
