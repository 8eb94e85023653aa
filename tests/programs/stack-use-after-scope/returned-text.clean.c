// A text that a function formats in the buffer of its caller is measured by the caller.
#include <stdio.h>
#include <string.h>

static char *volatile text;

__attribute__((noinline)) static char *name_of(int number, char *buffer, size_t size) {
    snprintf(buffer, size, "number %d", number);
    text = buffer;
    return text;
}

int main(int argc, char **argv) {
    (void)argv;
    char buffer[48];
    char *name = name_of(argc, buffer, sizeof buffer);
    return strlen(name) != 8;
}
