// The program ends with exit in a function that still holds a block in a variable that is used
// afterwards.
#include <stdlib.h>
#include <string.h>

static char *volatile last;

__attribute__((noinline)) static void note(const char *s) {
    last = strdup(s);
}

__attribute__((noinline)) static void stop(int status) {
    exit(status);
}

int main(void) {
    note("first");
    stop(0);
}
