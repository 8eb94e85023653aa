// A block aligned to a page is freed, and so is one that realloc moved.
// RUN: options --enable possible-leak
#include <stdlib.h>

static char *page;
static char *text;

__attribute__((noinline)) static void create(void) {
    page = aligned_alloc(4096, 4096);
    text = malloc(10);
    text = realloc(text, 3000);
}

int main(void) {
    create();
    free(text);
    free(page);
    return 0;
}
