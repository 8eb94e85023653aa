// A compressor's window: one running index over two buffers, each reached as base[index].
// A base lies far outside its buffer, by chance in a third block.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 1 << 16 };

struct window {
    const unsigned char *base;    /* base[index] for index >= limit */
    const unsigned char *earlier; /* earlier[index] for index < limit */
    size_t limit, end;
};

__attribute__((noinline)) static unsigned sum(const struct window *window, size_t from, size_t to) {
    unsigned total = 0;
    for (size_t index = from; index < to; index++) {
        const unsigned char *match =
            index < window->limit ? window->earlier + index : window->base + index;
        total += match[0] + (index > window->limit ? match[-1] : 0);
    }
    return total;
}

int main(void) {
    unsigned char *blocks[16];
    for (size_t i = 0; i < 16; i++) {
        blocks[i] = malloc(SIZE);
        memset(blocks[i], (int)i, SIZE);
    }
    unsigned total = 0;
    for (size_t first = 0; first < 16; first++)
        for (size_t second = 0; second < 16; second++) {
            struct window window = {0};
            window.limit = SIZE;
            window.end = 2 * (size_t)SIZE;
            window.earlier = blocks[first];
            window.base = (const unsigned char *)((uintptr_t)blocks[second] - SIZE);
            total += sum(&window, SIZE - 100, SIZE + 100);
            window.base -= 777;
            window.earlier -= 5 * (size_t)SIZE + 13;
            window.limit += 777;
            total += sum(&window, SIZE + 777, SIZE + 977);
        }
    printf("%u\n", total);
    for (size_t i = 0; i < 16; i++) free(blocks[i]);
    return 0;
}
