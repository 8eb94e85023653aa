// More bytes are copied from a string literal than it has.
#include <string.h>

char to[100];
const char *volatile from = "literal";

int main(void) {
    memcpy(to, from, 20);  // EXPECT global-buffer-overflow read 20 block 8 inside 0
    return to[0] != 'l';
}
