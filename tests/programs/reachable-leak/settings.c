// A global holds a structure that holds another block; neither is freed.
// ASan misses this: it says nothing of blocks that are still reachable
// RUN: options --enable reachable-leak
#include <stdlib.h>

struct settings {
    char *home;
    int verbose;
};

static struct settings *settings;

__attribute__((noinline)) static void load(void) {
    settings = malloc(sizeof *settings); // EXPECT reachable-leak block 16 count 1 bytes 16
    settings->home = malloc(50); // EXPECT reachable-leak block 50 count 1 bytes 50
    settings->home[0] = 0;
}

int main(void) {
    load();
    return settings->home[0];
}
