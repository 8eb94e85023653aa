// sprintf prints a string into the buffer that holds it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(char *line, const char *word) {
    sprintf(line, "%s %s", line, word); // EXPECT overlapping-copy block 64 inside 0 in sprintf
}

int main(void) {
    char *line = malloc(64); // ALLOC
    strcpy(line, "one");
    append(line, "two");
    size_t length = strlen(line);
    free(line);
    return length != 7;
}
