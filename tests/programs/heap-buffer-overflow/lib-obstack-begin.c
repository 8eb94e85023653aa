// There is no room for the obstack itself.
#include <obstack.h>
#include <stdlib.h>

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

int main(void) {
    struct obstack *stack = malloc(sizeof(void *)); // ALLOC
    obstack_init(stack); // EXPECT heap-buffer-overflow write 88 block 8 after 0 in _obstack_begin
    obstack_free(stack, NULL);
    free(stack);
    return 0;
}
