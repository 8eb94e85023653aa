// A pointer to one past the end is made in one function, kept in a structure, and used only
// downwards.
#include <stdlib.h>

struct cursor {
    char *at;
};

__attribute__((noinline)) static void open_at(struct cursor *c, char *p, int n) {
    c->at = p + n;
}

__attribute__((noinline)) static void put(struct cursor *c, char value) {
    *--c->at = value;
}

int main(void) {
    char *p = malloc(21);
    struct cursor c;
    open_at(&c, p, 21);
    put(&c, 'x');
    free(p);
    return 0;
}
