// All bytes of a string literal are copied.
// RUN: options --enable global-buffer-overflow
#include <string.h>

char to[100];
const char *volatile from = "literal";

int main(void) {
    memcpy(to, from, 8);
    return to[0] != 'l';
}
