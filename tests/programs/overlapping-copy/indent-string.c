// A string is moved by one within its buffer on the stack, with strcpy.
#include <string.h>

static void indent(char *line) {
    strcpy(line + 1, line); // EXPECT overlapping-copy block 32 in strcpy
    line[0] = ' ';
}

int main(void) {
    char line[32] = "text";
    indent(line);
    return strlen(line) != 5;
}
