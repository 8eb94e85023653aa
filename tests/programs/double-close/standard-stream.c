// A function closes the stream that it is given, which is standard input; its caller closes that, too.
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
    fclose(stdin); // EXPECT double-close in fclose
    return count;
}
