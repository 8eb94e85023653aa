// A structure owns a buffer; the buffer is freed, the field is not cleared, and the buffer is
// written through the field.
#include <stdlib.h>

struct stream {
    int flags;
    char *buffer;
};

static void reset(struct stream *s) {
    free(s->buffer); // FREE
}

static void put(struct stream *s, int at, char c) {
    s->buffer[at] = c; // EXPECT dangling-pointer-dereference write 1 block 100 inside 63
}

int main(void) {
    struct stream s = {0, calloc(1, 100)}; // ALLOC
    put(&s, 5, 'a');
    reset(&s);
    put(&s, 63, 'b');
    free(s.buffer);
    return 0;
}
