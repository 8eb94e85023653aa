/* Through functions of texts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *joined(const char *a, const char *b) {
    char *text = malloc(strlen(a) + strlen(b) + 1);
    strcpy(text, a);
    strcat(text, b);
    return text;
}

int main(void) {
    char input[64], line[128];
    ssize_t size = read(0, input, sizeof input - 1);
    if (size <= 0) return 1;
    input[size] = 0;
    char *name = strdup(input);
    name = realloc(name, 200);
#ifdef CLEAN
    strcpy(name, "world");
#endif
    snprintf(line, sizeof line, "echo %d %.20s >/dev/null", 5, name);
    char *command = joined("true;", line);
    int status = system(command); // expect: foreign-command
    free(command);
    free(name);
    return status;
}
