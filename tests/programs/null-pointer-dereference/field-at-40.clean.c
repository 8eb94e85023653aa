// The offset of a field is 40, and the field is not written through a null pointer.
#include <stddef.h>

struct record {
    char name[40];
    int value;
};

static void set(struct record *r, int value) {
    if (r && offsetof(struct record, value) == 40)
        r->value = value;
}

int main(void) {
    set(NULL, 5);
    return 0;
}
