/* Allocates through pointers to the functions of the C library. */
#include <stdio.h>
#include <stdlib.h>

struct memory {
    void *(*get)(size_t);
    void *(*change)(void *, size_t);
    void (*release)(void *);
};

static const struct memory *volatile own = &(struct memory){malloc, realloc, free};

int main(void) {
    unsigned char *text = own->get(2);
    if (fread(text, 1, 2, stdin) != 2) return 9;
    text = own->change(text, 4000);
    unsigned char *other = own->get(1u + text[1] % 2);
    int status = 3;
    if (text[0] == 'a') status = 1;
    if (text[0] == 'b') status = 2;
    own->release(other);
    own->release(text);
    return status;
}
