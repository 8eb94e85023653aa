// A helper hands its arguments on to vsnprintf, which prints a text over itself.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void print(char *text, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, size, format, arguments); // EXPECT overlapping-copy block 256 inside 0 in vsnprintf
    va_end(arguments);
}

int main(void) {
    char *text = malloc(256); // ALLOC
    print(text, 256, "line %d", 1);
    print(text, 256, "%s (%s)", text, "MISSING_TITLE");
    int wrong = text[0] != 'l';
    free(text);
    return wrong;
}
