// A field at offset 40 of a null pointer is written.
#include <stddef.h>

struct record {
    char name[40];
    int value;
};

static void set(struct record *r, int value) {
        r->value = value; // EXPECT null-pointer-dereference write 4 address 40
}

int main(void) {
    set(NULL, 5);
    return 0;
}
