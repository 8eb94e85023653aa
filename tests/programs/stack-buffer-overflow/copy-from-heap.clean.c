// A block of the heap is copied to a local array that is as large.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *source = malloc(100);
    char target[100];
    memset(source, 'a', 100);
    memcpy(target, source, 100);
    free(source);
    return target[49] != 'a';
}
