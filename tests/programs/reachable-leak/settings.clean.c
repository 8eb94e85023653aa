// A global holds a structure that holds another block; both are freed.
// RUN: options --enable reachable-leak
#include <stdlib.h>

struct settings {
    char *home;
    int verbose;
};

static struct settings *settings;

__attribute__((noinline)) static void load(void) {
    settings = malloc(sizeof *settings);
    settings->home = malloc(50);
    settings->home[0] = 0;
}

int main(void) {
    load();
    int status = settings->home[0];
    free(settings->home);
    free(settings);
    return status;
}
