/* A path that does not end, and one that does. */
#include <whence/explore.h>

int main(void) {
    char x;
    whence_make_symbolic(&x, sizeof x, "x");
    while (x == 'e')
        ;
    return x == 'f';
}
