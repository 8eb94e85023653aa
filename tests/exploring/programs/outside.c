/* A symbolic index into memory that is no block: the words of the command line. */
#include <klee/klee.h>

#include <stdio.h>
#include <string.h>

int main(int count, char **words) {
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    if (count != 4 || x % 4 == 0) return 9;
    const char *word = words[x % 4];
    if (strcmp(word, "two") == 0) return 2;
    return word[0] == 't' ? 3 : 1;
}
