// The program ends with exit in a function; a block was lost before.
#include <stdlib.h>
#include <string.h>

static char *volatile last;

__attribute__((noinline)) static void note(const char *s) {
    last = strdup(s); // EXPECT definite-leak block 6 count 1 bytes 6
}

__attribute__((noinline)) static void stop(int status) {
    exit(status);
}

int main(void) {
    note("first");
    note("the second");
    stop(0);
}
