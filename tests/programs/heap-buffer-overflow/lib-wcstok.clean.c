// wcstok goes on in a text up to its end.
#include <stdlib.h>
#include <wchar.h>

int main(void) {
    wchar_t *rest = NULL, *text = malloc(4 * sizeof *text);
    if (text == NULL) return 2;
    wmemcpy(text, L"a,b", 4);
    wchar_t *first = wcstok(text, L",", &rest);
    wchar_t *second = wcstok(NULL, L",", &rest);
    int ok = first == text && second == text + 2;
    free(text);
    return !ok;
}
