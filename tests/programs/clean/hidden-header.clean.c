// An allocator of the program's own keeps a header before what it hands out, and finds it again
// from there.
#include <stdlib.h>
#include <string.h>

struct header {
    size_t size;
    unsigned long magic;
};

static size_t total;

__attribute__((noinline)) static void *allocate(size_t n) {
    struct header *h = malloc(sizeof *h + n);
    h->size = n;
    h->magic = 0x600dc0de;
    total += n;
    return h + 1;
}

__attribute__((noinline)) static void release(void *p) {
    struct header *h = (struct header *)p - 1;
    if (((struct header *)p)[-1].magic != 0x600dc0de)
        abort();
    total -= h->size;
    free(h);
}

int main(void) {
    void *p[40];
    for (int i = 0; i < 40; i++)
        memset(p[i] = allocate(i), i, i);
    for (int i = 0; i < 40; i++)
        release(p[i]);
    return total != 0;
}
