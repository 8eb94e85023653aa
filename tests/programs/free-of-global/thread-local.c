// Frees a thread-local array.
#include <stdlib.h>

static _Thread_local char scratch[200];
static _Thread_local char *current;

int main(void) {
    current = scratch;
    current[199] = 1;
    free(current); // EXPECT free-of-global block 200 inside 0
    return 0;
}
