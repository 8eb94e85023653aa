/* Through registers: each byte is changed, and goes through a table of functions. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef int (*change)(int);
static int lower(int c) { return tolower(c); }
static int next(int c) { return c >= 'a' && c < 'z' ? c + 1 : c; }
static const change changes[] = {lower, next};

int main(int argc, char **argv) {
    (void)argv;
    char input[16] = "", command[64] = "true ";
    ssize_t size = read(0, input, sizeof input - 1);
    for (ssize_t i = 0; i < size; i++) {
        int c = changes[i & 1](input[i]);
#ifdef CLEAN
        c = argc > 0 ? 'a' + (int)i : c;
#endif
        command[5 + i] = (char)(c == '\n' ? ' ' : c);
    }
    FILE *pipe = popen(command, "r"); // expect: foreign-pipe
    return pipe ? pclose(pipe) : 1;
}
