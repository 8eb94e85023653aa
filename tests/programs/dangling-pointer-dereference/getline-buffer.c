// A line kept from getline is used after the buffer was freed.
// RUN: stdin "first\nsecond\n"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *first_line(void) {
    char *line = NULL;
    size_t room = 0;
    if (getline(&line, &room, stdin) < 0) // ALLOC
        return NULL;
    char *result = line;
    free(line); // FREE
    return result;
}

int main(void) {
    char *line = first_line();
    int c = line[0]; // EXPECT dangling-pointer-dereference read 1 inside 0
    return c != 'f';
}
