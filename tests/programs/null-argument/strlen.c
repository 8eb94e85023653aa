// strlen of a variable of the environment that is not set.
#include <stdlib.h>
#include <string.h>

int main(void) {
    const char *value = getenv("WHENCE_TEST_NOT_SET");
    return strlen(value) != 0; // EXPECT null-argument address 0 in strlen
}
