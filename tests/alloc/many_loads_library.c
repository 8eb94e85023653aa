/* Has thread-local variables that the loader allocates where a thread first uses them. */
#include <stdlib.h>
#include <string.h>

static _Thread_local char large[20000];
static _Thread_local char *block;

__attribute__((constructor)) static void begin(void) { free(malloc(333)); }

char *own(int size) {
    if (!block) block = malloc(size + 1);
    memset(block, 'x', size);
    block[size] = 0;
    return strcpy(large + size, block);
}

__attribute__((destructor)) static void end(void) { free(block); }
