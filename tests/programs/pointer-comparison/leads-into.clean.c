// The same test with numbers, in one comparison.
// RUN: options --enable pointer-comparison
#include <stdint.h>
#include <stdlib.h>

struct text {
    char *begin, *end;
};

static int has(const struct text *text, const char *at) {
    return (uintptr_t)at - (uintptr_t)text->begin < (uintptr_t)text->end - (uintptr_t)text->begin;
}

int main(void) {
    struct text text;
    char *other = malloc(100);
    text.begin = malloc(10);
    if (!text.begin || !other) return 2;
    text.end = text.begin + 10;
    int found = has(&text, other + 5);
    free(other);
    free(text.begin);
    return found == 77;
}
