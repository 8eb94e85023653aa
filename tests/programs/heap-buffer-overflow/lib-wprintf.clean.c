// fwprintf reads as much of a wide string without an end as its precision says.
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

int main(void) {
    wchar_t *name = malloc(4 * sizeof *name);
    wmemcpy(name, L"abcd", 4);
    fwprintf(stderr, L"%d%% of %.*ls\n", 7, 4, name);
    free(name);
    return 0;
}
