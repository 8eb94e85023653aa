// A function closes the stream that it is given, which is standard input; nobody else does.
// RUN: options --enable double-close
#include <stdio.h>

static int words(FILE *in) {
    int word, count = 0;
    while (fscanf(in, "%d", &word) == 1)
        count += word;
    fclose(in);
    return count;
}

int main(void) {
    int count = words(stdin);
    fflush(stdout);
    return count;
}
