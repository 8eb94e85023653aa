// getrandom fills more than the block.
#include <stdlib.h>
#include <sys/random.h>

int main(void) {
    unsigned char *key = malloc(32);
    ssize_t count = getrandom(key, 32, 0);
    free(key);
    return count != 32;
}
