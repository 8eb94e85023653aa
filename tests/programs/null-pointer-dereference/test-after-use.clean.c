// A pointer is used after it is tested.
#include <stdlib.h>

struct device {
    int id;
    int ready;
};

__attribute__((noinline)) static int poll(struct device *d) {

    if (!d)
        return -1;
    int ready = d->ready;
    return ready;
}

int main(void) {
    return poll(NULL) != -1;
}
