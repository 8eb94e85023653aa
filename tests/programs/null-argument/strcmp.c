// strcmp with a null pointer as the second argument.
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    const char *second = argv[1];
    return strcmp("a", second) == 0; // EXPECT null-argument address 0 in strcmp
}
