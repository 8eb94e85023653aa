// A block with pages that the program has made inaccessible is live, and the block that only it leads to is too.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096

static char *guarded;

static int make(void) {
    char *lost = malloc(40);
    int one = lost[0] = 1;
    free(lost);
    return one;
}

int main(void) {
    char *block = malloc(4 * PAGE);
    guarded = (char *)(((uintptr_t)block + PAGE - 1) / PAGE * PAGE);
    *(char **)(guarded + 2 * PAGE) = malloc(50);
    int bad = mprotect(guarded, PAGE, PROT_NONE) || make() != 1;
    char clear[2000];
    memset(clear, 1, sizeof clear);
    return bad + (clear[1999] != 1);
}
