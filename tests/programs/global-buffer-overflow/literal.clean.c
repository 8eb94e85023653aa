// All bytes of a string literal are copied.
#include <string.h>

char to[100];
const char *volatile from = "literal";

int main(void) {
    memcpy(to, from, 8);
    return to[0] != 'l';
}
