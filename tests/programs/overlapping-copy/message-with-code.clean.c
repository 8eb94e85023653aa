// A helper hands its arguments on to vsnprintf, which prints a text elsewhere, or nothing of it over itself.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print(char *text, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, size, format, arguments);
    va_end(arguments);
}

int main(void) {
    char *text = malloc(256);
    char *output = malloc(256);
    print(text, 256, "line %d", 1);
    print(output, 256, "%s (%s)", text, "MISSING_TITLE");
    print(text, 256, "%.0s%s", text, output);
    int wrong = strcmp(text, "line 1 (MISSING_TITLE)") != 0;
    free(text);
    free(output);
    return wrong;
}
