// Wide text is appended to an array that holds no text yet.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

int main(void) {
    wchar_t *text = malloc(100 * sizeof *text); // BORN
    if (!text)
        return 1;
    wcscat(text, L"appended"); // EXPECT use-of-uninitialized-value use memory in wcscat
    printf("%ls\n", text);
    free(text);
    return 0;
}
