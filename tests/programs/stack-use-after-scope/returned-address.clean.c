// A function stores the address of a static variable, which its caller reads.
#include <stddef.h>

static int *kept;

__attribute__((noinline)) static void keep(int *p) { kept = p; }

__attribute__((noinline)) static void count(int n) {
    static int total;
    total = n + 1;
    keep(&total);
    *kept += n;
}

int main(int argc, char **argv) {
    (void)argv;
    count(argc);
    return *kept != 3;
}
