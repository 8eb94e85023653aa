// A search that finds nothing returns -1, which becomes a huge index.
// RUN: options --enable implicit-conversion-to-unsigned
#include <string.h>

static int find(const char *text, char wanted) {
    const char *found = strchr(text, wanted);
    return found ? (int)(found - text) : -1;
}

int main(int argc, char **argv) {
    (void)argv;
    size_t at = find("abc", (char)('c' + argc)); // EXPECT implicit-conversion-to-unsigned
    return at == 77;
}
