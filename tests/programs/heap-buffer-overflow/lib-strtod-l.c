// A number at the end of a block without a terminator is converted in a locale of its own.
// ASan misses this: it knows strtod and not strtod_l
#define _GNU_SOURCE
#include <locale.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    locale_t c = newlocale(LC_ALL_MASK, "C", NULL);
    char *text = malloc(4); // ALLOC
    memcpy(text, "1.25;", 4);
    double value = strtod_l(text, NULL, c); // EXPECT heap-buffer-overflow read * block 4 after 0 in strtod_l
    free(text);
    freelocale(c);
    return value != 1.25;
}
