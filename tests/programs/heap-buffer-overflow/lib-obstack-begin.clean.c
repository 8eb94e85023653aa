// An obstack on the heap.
#include <obstack.h>
#include <stdlib.h>

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

int main(void) {
    struct obstack *stack = malloc(sizeof *stack);
    obstack_init(stack);
    obstack_free(stack, NULL);
    free(stack);
    return 0;
}
