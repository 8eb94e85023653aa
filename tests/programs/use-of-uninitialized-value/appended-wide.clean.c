// Wide text is appended to an empty text.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

int main(void) {
    wchar_t *text = malloc(100 * sizeof *text);
    if (!text)
        return 1;
    text[0] = 0;
    wcscat(text, L"appended");
    printf("%ls\n", text);
    free(text);
    return 0;
}
