// A text that a function formats in its own buffer is measured by its caller.
#include <stdio.h>
#include <string.h>

static char *volatile text;

__attribute__((noinline)) static char *name_of(int number) {
    char buffer[48];
    snprintf(buffer, sizeof buffer, "number %d", number);
    text = buffer;
    return text;
}

int main(int argc, char **argv) {
    (void)argv;
    char *name = name_of(argc);
    return strlen(name) != 8;  // EXPECT stack-use-after-scope read 1 block 48 inside 0
}
