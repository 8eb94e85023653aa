// A number at the end of a block without a terminator is converted in a locale of its own.
#define _GNU_SOURCE
#include <locale.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    locale_t c = newlocale(LC_ALL_MASK, "C", NULL);
    char *text = malloc(5);
    memcpy(text, "1.25;", 5);
    double value = strtod_l(text, NULL, c);
    free(text);
    freelocale(c);
    return value != 1.25;
}
