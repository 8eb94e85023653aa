// strcmp with an empty string as the second argument.
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    const char *second = "";
    return strcmp("a", second) == 0;
}
