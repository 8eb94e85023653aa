// wcscpy to a block that was allocated in bytes and not in wide characters.
// ASan misses this: it does not watch wcscpy
#include <stdlib.h>
#include <wchar.h>

int main(void) {
    const wchar_t *text = L"wide";
    wchar_t *to = malloc((wcslen(text) + 1)); // ALLOC
    wcscpy(to, text); // EXPECT heap-buffer-overflow write * block 5 after 0 in wcscpy
    free(to);
    return 0;
}
