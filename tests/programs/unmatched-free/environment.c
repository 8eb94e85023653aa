// Frees what getenv returned.
// RUN: env WHENCE_TEST_VALUE=something
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *value = getenv("WHENCE_TEST_VALUE");
    if (!value)
        return 1;
    free(value); // EXPECT unmatched-free block none
    return 0;
}
