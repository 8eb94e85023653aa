// strcat appends more than the destination has left.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = malloc(12); // ALLOC
    strcpy(s, "hello");
    strcat(s, ", world"); // EXPECT heap-buffer-overflow write * block 12 after 0 in strcat
    int n = (int)strlen(s);
    free(s);
    return n != 11;
}
