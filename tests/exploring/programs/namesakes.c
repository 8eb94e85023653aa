/* Functions of the program's own that have the names of functions of the C library, and other arguments. */
#include <klee/klee.h>

static int seen;

__attribute__((noinline)) static void send(int x) { seen += x; }
__attribute__((noinline)) static int read(int x) { return x == 14 ? seen : 0; }
__attribute__((noinline)) static long write(long x) { return x == 77; }

int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, sizeof x, "x");
    send(x);
    if (read(x)) return 1;
    if (write(x)) return 2;
    return 3;
}
