/* Three assertions in one function, each of which some input fails. */
#include <assert.h>
#include <klee/klee.h>

int main(void) {
    unsigned char x[2];
    klee_make_symbolic(x, sizeof x, "x");
    assert(x[0] != 7);
    assert(x[1] != 9);
    assert(x[0] + x[1] != 300);
    return 0;
}
