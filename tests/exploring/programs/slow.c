/* Five independent choices among three ways, 243 paths, each of which takes 10 milliseconds. */
#include <klee/klee.h>
#include <poll.h>

int main(void) {
    unsigned char x[5];
    int taken = 0;
    klee_make_symbolic(x, sizeof x, "x");
    poll(0, 0, 10); /* a sleep would end at once */
    for (int i = 0; i < 5; i++) {
        if (x[i] < 50)
            taken += 1;
        else if (x[i] < 100)
            taken += 2;
    }
    return taken;
}
