// strncpy pads a short string with zeros past the end of the destination.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *from = malloc(8);
    char *to = malloc(8); // ALLOC
    memcpy(from, "short\0\0", 8);
    strncpy(to, from, 9); // EXPECT heap-buffer-overflow write 9 block 8 after 0 in strncpy
    free(from);
    free(to);
    return 0;
}
