// A text that is printed into an obstack was freed.
#define _GNU_SOURCE
#include <obstack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

int main(void) {
    struct obstack stack;
    obstack_init(&stack);
    char *name = strdup("name"); // ALLOC
    free(name);                  // FREE
    obstack_printf(&stack, "<%s>", name); // EXPECT dangling-pointer-dereference read 1 block 5 inside 0 in obstack_printf
    obstack_free(&stack, NULL);
    return 0;
}
