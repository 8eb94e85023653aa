// A block is made smaller with realloc and used with its former size.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *p = malloc(100);
    memset(p, 'a', 100);
    p = realloc(p, 40); // ALLOC
    p[99] = 0; // EXPECT heap-buffer-overflow write 1 block 40 after 59
    free(p);
    return 0;
}
