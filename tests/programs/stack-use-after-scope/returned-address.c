// A function returns the address of its variable, which its caller reads.
#include <stddef.h>

static int *kept;

__attribute__((noinline)) static void keep(int *p) { kept = p; }

__attribute__((noinline)) static void count(int n) {
    int total = n + 1;
    keep(&total);
    *kept += n;
}

int main(int argc, char **argv) {
    (void)argv;
    count(argc);
    return *kept != 3;  // EXPECT stack-use-after-scope read 4 block 4 inside 0
}
