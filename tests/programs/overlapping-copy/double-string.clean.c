// A string is appended to itself by its length: strncat reads no 0 then.
#include <stdlib.h>
#include <string.h>

static void twice(char *text) {
    strncat(text, text, strlen(text));
}

int main(void) {
    char *text = malloc(64);
    strcpy(text, "again");
    twice(text);
    size_t length = strlen(text);
    free(text);
    return length != 10;
}
