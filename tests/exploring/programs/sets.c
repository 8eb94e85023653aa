/* A set of bytes, as `tr` has it: what is stored in it for one byte decides about others. */
#include <stdbool.h>
#include <stdio.h>

static bool set[256];

int main(void) {
    int first = getchar(), second = getchar();
    if (first == EOF || second == EOF) return 1;
    set[first] = true;
    if (set[second]) return 3;
    return 2;
}
