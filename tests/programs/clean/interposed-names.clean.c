// A program with functions of its own that are called as allocators are: xmalloc, and a strdup of
// its own under another name.
#include <stdlib.h>
#include <string.h>

void *xmalloc(size_t n) {
    void *p = malloc(n ? n : 1);
    if (!p)
        abort();
    return p;
}

void *xrealloc(void *p, size_t n) {
    p = realloc(p, n ? n : 1);
    if (!p)
        abort();
    return p;
}

char *strsave(const char *s) {
    return memcpy(xmalloc(strlen(s) + 1), s, strlen(s) + 1);
}

static char *malloc_counter(char *s) {
    return s + 1;
}

int main(void) {
    char *s = strsave("saved");
    s = xrealloc(s, 50);
    strcat(s, " and grown");
    int ok = malloc_counter(s)[0] == 'a';
    free(s);
    return !ok;
}
