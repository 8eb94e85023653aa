// A line kept from getline is copied before the buffer is freed.
// RUN: stdin "first\nsecond\n"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *first_line(void) {
    char *line = NULL;
    size_t room = 0;
    if (getline(&line, &room, stdin) < 0)
        return NULL;
    char *result = strdup(line);
    free(line);
    return result;
}

int main(void) {
    char *line = first_line();
    if (line == NULL)
        return 2; // standard input is closed
    int c = line[0];
    free(line);
    return c != 'f';
}
