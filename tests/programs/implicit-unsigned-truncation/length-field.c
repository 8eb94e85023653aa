// The length of a text is kept in 16 bits.
// RUN: options --enable implicit-unsigned-truncation
#include <stdlib.h>
#include <string.h>

struct text {
    unsigned short length;
    char *bytes;
};

static void fill(struct text *text, size_t length) {
    text->bytes = malloc(length + 1);
    memset(text->bytes, 'a', length);
    text->bytes[length] = 0;
    text->length = strlen(text->bytes); // EXPECT implicit-unsigned-truncation
}

int main(int argc, char **argv) {
    (void)argv;
    struct text text;
    fill(&text, 70000 + (size_t)argc);
    int empty = text.length == 0;
    free(text.bytes);
    return empty;
}
