// strlen of a variable of the environment that is not set, after a test.
#include <stdlib.h>
#include <string.h>

int main(void) {
    const char *value = getenv("WHENCE_TEST_NOT_SET");
    if (!value)
        value = "";
    return strlen(value) != 0;
}
