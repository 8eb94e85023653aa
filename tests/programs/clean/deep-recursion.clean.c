// Recursion needs half of the stack without checks, and more than all of it with zones around the variables
// of each activation.
// JSON printers recurse like this, once for each level of nesting
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static unsigned long length;

static void number(char *to, int value) {
    snprintf(to, 24, "%d", value);
}

__attribute__((noinline)) static int nest(int depth, int most) {
    char first[24], last[24];
    number(first, depth);
    int below = depth < most ? nest(depth + 1, most) : 0;
    number(last, below);
    length += strlen(first) + strlen(last);
    return below + 1;
}

int main(void) {
    // an activation has about 120 bytes, and 290 and more with zones
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit))
        return 1;
    int most = limit.rlim_cur > (8 << 20) ? 40000 : (int)(limit.rlim_cur / 210);
    return nest(1, most) != most || length == 0;
}
