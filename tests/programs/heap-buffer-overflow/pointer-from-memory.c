// A pointer past the end is made in one function, kept in a structure, and used in another
// function.
#include <stdlib.h>

struct cursor {
    char *at;
};

__attribute__((noinline)) static void open_at(struct cursor *c, char *p, int n) {
    c->at = p + n;
}

__attribute__((noinline)) static void put(struct cursor *c, char value) {
    *c->at++ = value; // EXPECT heap-buffer-overflow write 1 block 21 after 0
}

int main(void) {
    char *p = malloc(21); // ALLOC
    struct cursor c;
    open_at(&c, p, 21);
    put(&c, 'x');
    free(p);
    return 0;
}
