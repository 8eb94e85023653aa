// snprintf overwrites the name that it prints, which lies further on in the same buffer.
#include <stdio.h>
#include <string.h>

int main(void) {
    char path[64] = "home/of/somebody";
    const char *name = strrchr(path, '/') + 1;
    snprintf(path, sizeof path, "/srv/%s", name); // EXPECT overlapping-copy block 64 in snprintf
    return path[0] != '/';
}
