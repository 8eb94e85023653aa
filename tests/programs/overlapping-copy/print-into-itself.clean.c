// sprintf prints behind the string that the buffer holds.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(char *line, const char *word) {
    sprintf(line + strlen(line), " %s", word);
}

int main(void) {
    char *line = malloc(64);
    strcpy(line, "one");
    append(line, "two");
    size_t length = strlen(line);
    free(line);
    return length != 7;
}
