// getrandom fills more than the block.
#include <stdlib.h>
#include <sys/random.h>

int main(void) {
    unsigned char *key = malloc(24); // ALLOC
    ssize_t count = getrandom(key, 32, 0); // EXPECT heap-buffer-overflow write 32 block 24 after 0 in getrandom
    free(key);
    return count != 32;
}
