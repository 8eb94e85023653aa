/* A value that one kind of input leaves unwritten decides. */
#include <stdio.h>

int main(void) {
    int kind = getchar(), size START;
    if (kind == 'a') size = 1;
    if (kind == 'b') size = 2;
    if ((kind == 'a' || kind == 'b' || kind == 'c') && size > 1) puts("long");
    return 0;
}
