// A text that is printed into an obstack is freed afterwards.
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
    char *name = strdup("name");
    obstack_printf(&stack, "<%s>", name);
    free(name);
    obstack_free(&stack, NULL);
    return 0;
}
