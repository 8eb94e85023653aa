// A structure owns a buffer; the buffer is freed and the field replaced before the next write.
#include <stdlib.h>

struct stream {
    int flags;
    char *buffer;
};

static void reset(struct stream *s) {
    free(s->buffer);
    s->buffer = calloc(1, 100);
}

static void put(struct stream *s, int at, char c) {
    s->buffer[at] = c;
}

int main(void) {
    struct stream s = {0, calloc(1, 100)};
    put(&s, 5, 'a');
    reset(&s);
    put(&s, 63, 'b');
    free(s.buffer);
    return 0;
}
