// A default value, which is a string literal, is freed.
#include <stdlib.h>
#include <string.h>

static char *setting(const char *value) {
    return value ? strdup(value) : "default";
}

int main(void) {
    char *a = setting("given");
    char *b = setting(NULL);
    free(a);
    free(b); // EXPECT free-of-global block 8
    return 0;
}
