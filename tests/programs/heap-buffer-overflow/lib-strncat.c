// strncat is given the size of the whole destination as the room that is left.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = malloc(10); // ALLOC
    strcpy(s, "12345");
    strncat(s, "6789abcdef", 10); // EXPECT heap-buffer-overflow write * block 10 after 0 in strncat
    int n = (int)strlen(s);
    free(s);
    return n != 9;
}
