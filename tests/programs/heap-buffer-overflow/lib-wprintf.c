// fwprintf reads a wide string that has no end in its block.
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

int main(void) {
    wchar_t *name = malloc(4 * sizeof *name); // ALLOC
    wmemcpy(name, L"abcd", 4);
    fwprintf(stderr, L"%d%% of %ls\n", 7, name); // EXPECT heap-buffer-overflow read 20 block 16 after 0 in fwprintf
    free(name);
    return 0;
}
