// A position is looked for in the copy.
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
    long length = strchr(twice, 61) - twice + (sign == NULL);
    free(twice);
    free(text);
    return length == 77;
}
