// A block is still allocated at the end of main, though a global points to it.
// ASan misses this: it says nothing of blocks that are still reachable
// RUN: options --enable possible-leak
#include <stdlib.h>

static char *settings;

__attribute__((noinline)) static void load(void) {
    settings = malloc(123); // EXPECT possible-leak block 123 count 1 bytes 123
    settings[0] = 0;
}

int main(void) {
    load();
    return 0;
}
