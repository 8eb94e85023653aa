// A string is copied into a global array that has room for it.
#include <string.h>

static char name[8];

int main(int argc, char **argv) {
    strcpy(name, argv[argc > 5] ? "abcdefg" : "");
    return name[0] != 'a';
}
