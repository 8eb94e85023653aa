// Assigns a whole structure to a block that was allocated with the size of the pointer.
#include <stdlib.h>

struct record {
    long key;
    char name[24];
    int flags[2];
};

static struct record pattern = {1, "pattern", {2, 3}};

int main(void) {
    struct record *r = malloc(sizeof r); // ALLOC
    *r = pattern; // EXPECT heap-buffer-overflow write 40 block 8 after 0
    free(r);
    return 0;
}
