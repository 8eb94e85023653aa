// strcat of a string to itself: it overwrites the 0 that it looks for.
#include <stdlib.h>
#include <string.h>

static void twice(char *text) {
    strcat(text, text); // EXPECT overlapping-copy in strcat
}

int main(void) {
    char *text = malloc(64); // ALLOC
    strcpy(text, "again");
    twice(text);
    size_t length = strlen(text);
    free(text);
    return length != 10;
}
