// A block of the heap is copied to a local array that is half as large.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *source = malloc(100);
    char target[50];
    memset(source, 'a', 100);
    memcpy(target, source, 100);  // EXPECT stack-buffer-overflow write 100 block 50 after 0
    free(source);
    return target[49] != 'a';
}
