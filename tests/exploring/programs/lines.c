/* Reads lines; the status says how long they are. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned add(unsigned status, size_t length) { return status * 5 + (unsigned)length + 1; }

int main(void) {
    char few[3], *line = NULL;
    size_t size = 0;
    unsigned status = 0;
    if (fgets(few, sizeof few, stdin)) status = add(status, strlen(few));
    for (ssize_t length; (length = LINE) >= 0;) status = add(status, (size_t)length);
    free(line);
    return (int)(status % 251);
}
