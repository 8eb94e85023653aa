// A default value is a copy of a string literal, and freed.
#include <stdlib.h>
#include <string.h>

static char *setting(const char *value) {
    return value ? strdup(value) : strdup("default");
}

int main(void) {
    char *a = setting("given");
    char *b = setting(NULL);
    free(a);
    free(b);
    return 0;
}
