// A loop reads all 13 bytes of a block and keeps a pointer to one past the end.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *p = malloc(13);
    int sum = 0;
    memset(p, 1, 13);
    for (char *q = p; q < p + 13; q++)
        sum += *q;
    free(p);
    return sum != 13;
}
