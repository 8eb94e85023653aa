// A string is copied into a global array that has no room for the final zero.
#include <string.h>

static char name[8];

int main(int argc, char **argv) {
    strcpy(name, argv[argc > 5] ? "abcdefgh" : "");  // EXPECT global-buffer-overflow write 9 block 8 inside 0 in strcpy
    return name[0] != 'a';
}
