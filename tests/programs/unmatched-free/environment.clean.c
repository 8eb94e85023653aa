// Frees a copy of what getenv returned.
// RUN: env WHENCE_TEST_VALUE=something
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *value = getenv("WHENCE_TEST_VALUE");
    if (!value)
        return 1;
    value = strdup(value);
    free(value);
    return 0;
}
