// A destructor function, run after main, frees what main left to it.
#include <stdlib.h>

static char *buffer;

__attribute__((destructor)) static void finish(void) {
    free(buffer);
}

int main(void) {
    buffer = malloc(22);

    return 0;
}
