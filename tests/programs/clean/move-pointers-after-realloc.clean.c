// A growing buffer with pointers into itself, which are moved by their differences when realloc
// moves it.
#include <stdlib.h>
#include <string.h>

struct buffer {
    char *begin, *at, *mark, *end;
};

__attribute__((noinline)) static void grow(struct buffer *b) {
    char *old = b->begin;
    size_t size = b->end - old;
    char *new = realloc(old, 2 * size + 1);
    b->at = new + (b->at - old);
    b->mark = new + (b->mark - old);
    b->begin = new;
    b->end = new + 2 * size + 1;
}

int main(void) {
    struct buffer b = {0};
    for (int i = 0; i < 10000; i++) {
        if (b.at == b.end)
            grow(&b);
        *b.at++ = (char)('a' + i % 26);
        if (i == 27)
            b.mark = b.at;
    }
    int ok = b.mark[-1] == 'b' && *b.mark == 'c' && b.at - b.begin == 10000;
    free(b.begin);
    return !ok;
}
