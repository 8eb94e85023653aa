// A pointer is used before it is tested: an optimiser deletes the test.
#include <stdlib.h>

struct device {
    int id;
    int ready;
};

__attribute__((noinline)) static int poll(struct device *d) {
    int ready = d->ready; // EXPECT null-pointer-dereference read 4 address 4
    if (!d)
        return -1;
    return ready;
}

int main(void) {
    return poll(NULL) != -1;
}
