// snprintf prints a name that lies further on in the same buffer: the text ends before it.
#include <stdio.h>
#include <string.h>

int main(void) {
    char path[64] = "home/of/somebody/ab";
    const char *name = strrchr(path, '/') + 1;
    snprintf(path, sizeof path, "/srv/%.2s", name);
    char cut[8] = "ab";
    snprintf(cut, 4, "x%s", "y");
    snprintf(path, 0, "%s", path);
    return strcmp(path, "/srv/ab") != 0 || strcmp(cut, "xy") != 0;
}
