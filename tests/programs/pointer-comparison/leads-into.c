// Whether a pointer leads into a text is tested with < and >=, which compare pointers into one object only.
// RUN: options --enable pointer-comparison
#include <stdlib.h>

struct text {
    char *begin, *end;
};

static int has(const struct text *text, const char *at) {
    return at >= text->begin && at < text->end; // EXPECT pointer-comparison
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
