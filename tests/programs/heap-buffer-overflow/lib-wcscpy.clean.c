// wcscpy to a block that was allocated in wide characters.
#include <stdlib.h>
#include <wchar.h>

int main(void) {
    const wchar_t *text = L"wide";
    wchar_t *to = malloc((wcslen(text) + 1) * sizeof *to);
    wcscpy(to, text);
    free(to);
    return 0;
}
