// printf of %s with a string before free, and of %p after it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = strdup("text");
    free(NULL);
    printf("%d: %s\n", 1, s);
    free(s);
    printf("%p was freed\n", (void *)s);
    return 0;
}
