// wcstok goes on in a text that has no end in its block.
#include <stdlib.h>
#include <wchar.h>

int main(void) {
    wchar_t *rest = NULL, *text = malloc(4 * sizeof *text); // ALLOC
    if (text == NULL) return 2;
    wmemcpy(text, L"a,b", 4);
    wchar_t *first = wcstok(text, L",", &rest);
    text[3] = L'c';
    wchar_t *second = wcstok(NULL, L",", &rest); // EXPECT heap-buffer-overflow read 12 block 16 after 0 in wcstok
    int ok = first == text && second == text + 2;
    free(text);
    return !ok;
}
