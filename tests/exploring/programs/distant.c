/* A line that is reached when six of eight bytes are those of a word. Both sides of each branch before
 * it are known after a few paths, and two of three branches have nothing to do with it. */
#include <klee/klee.h>

static int odd, large;

static int found(void) {
    return 7; /* far */
}

static void note(unsigned char byte) {
    if (byte & 1)
        odd++;
    if (byte > 'f')
        large++;
}

int main(void) {
    unsigned char x[8], y[8];
    int known = 0;
    klee_make_symbolic(x, sizeof x, "x");
    klee_make_symbolic(y, sizeof y, "y");
    for (int i = 0; i < 8; i++) {
        note(y[i]);
        if (x[i] == "secret"[known] && ++known == 6)
            return found();
    }
    return odd > large;
}
