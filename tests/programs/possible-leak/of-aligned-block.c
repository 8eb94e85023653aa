// A block aligned to a page is still allocated at the end of main.
// ASan misses this: it says nothing of blocks that are still reachable
// RUN: options --enable possible-leak
#include <stdlib.h>

static char *page;
static char *text;

__attribute__((noinline)) static void create(void) {
    page = aligned_alloc(4096, 4096); // EXPECT possible-leak block 4096 count 1 bytes 4096
    text = malloc(10);
    text = realloc(text, 3000);
}

int main(void) {
    create();
    free(text);
    return 0;
}
