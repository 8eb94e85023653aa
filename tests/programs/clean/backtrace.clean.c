// Return addresses are stored in a block of the size that is said, and their texts are printed.
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static int store(void **frames, int most) {
    return backtrace(frames, most);
}

int main(void) {
    void **frames = malloc(16 * sizeof *frames);
    int count = store(frames, 16);
    char **texts = backtrace_symbols(frames, count);
    int wrong = count < 2 || store(frames, 1) != 1 || !texts || !strstr(texts[0], "(");
    free(texts);
    free(frames);
    return wrong;
}
