// argv and environ are walked to their null pointers, and to the bytes after the strings.
// RUN: args "" one "two words" -- ü
// RUN: env WHENCE_TEST_A=1
#include <stdlib.h>
#include <string.h>

extern char **environ;

int main(int argc, char **argv) {
    size_t bytes = 0;
    for (char **a = argv; *a; a++)
        bytes += strlen(*a) + 1;
    int contiguous = argv[argc - 1] + strlen(argv[argc - 1]) + 1 - argv[0] == (long)bytes;
    int found = 0;
    for (char **e = environ; *e; e++)
        found |= strcmp(*e, "WHENCE_TEST_A=1") == 0;
    setenv("WHENCE_TEST_B", "2", 1);
    putenv("WHENCE_TEST_A=3");
    found &= atoi(getenv("WHENCE_TEST_B")) == 2 && atoi(getenv("WHENCE_TEST_A")) == 3;
    unsetenv("WHENCE_TEST_B");
    return !(argc == 6 && contiguous && found && strcmp(argv[5], "\xc3\xbc") == 0);
}
