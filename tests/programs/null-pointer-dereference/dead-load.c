// A load through the null pointer whose value is never used: an optimiser deletes it.
#include <stdlib.h>

static void touch(const long *p) {
    long unused = *p; // EXPECT null-pointer-dereference read 8 address 0
    (void)unused;
}

int main(void) {
    long x = 3;
    touch(NULL);
    return 0;
}
