// A string is moved by one within its buffer on the stack, with memmove.
#include <string.h>

static void indent(char *line) {
    memmove(line + 1, line, strlen(line) + 1);
    line[0] = ' ';
}

int main(void) {
    char line[32] = "text";
    indent(line);
    return strlen(line) != 5;
}
