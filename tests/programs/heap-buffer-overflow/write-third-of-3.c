// Writes the fourth byte of a block of 3 bytes.
#include <stdlib.h>

int main(void) {
    char *p = malloc(3); // ALLOC
    p[0] = p[1] = p[2] = 'a';
    p[3] = 0; // EXPECT heap-buffer-overflow write 1 block 3 after 0
    free(p);
    return 0;
}
