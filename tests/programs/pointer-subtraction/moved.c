// A position in a text is kept as a pointer over a call that copies the text.
// RUN: options --enable pointer-subtraction
#include <stdlib.h>
#include <string.h>

static char *copy(const char *text) {
    char *made = malloc(strlen(text) + 1);
    return made ? strcpy(made, text) : NULL;
}

int main(void) {
    char *text = copy("name=value");
    if (!text) return 2;
    char *sign = strchr(text, '=');
    char *twice = copy(text);
    long length = sign - twice; // EXPECT pointer-subtraction
    free(twice);
    free(text);
    return length == 77;
}
