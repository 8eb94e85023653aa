// Conversions between encodings want more characters than a text without a final zero has.
// RUN: options --keep-going
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define MORE 1

static void *block_of(const void *from, size_t size) {
    void *block = malloc(size);
    memcpy(block, from, size);
    return block;
}

int main(void) {
    if (!setlocale(LC_ALL, "C.UTF-8")) return 1;
    char *text = block_of("ab\303\244", 4), bytes[8]; // three characters
    char *letter = block_of(MORE ? "\303\303" : "\303\244", 2) + MORE;
    wchar_t *wide = block_of(L"xyz", 3 * sizeof *wide), wides[8];
    mbstate_t state = {0};
    size_t sum = mbstowcs(wides, text, 3 + MORE); // EXPECT heap-buffer-overflow
    const char *from = text;
    sum += mbsrtowcs(wides, &from, 3 + MORE, &state); // EXPECT heap-buffer-overflow
    sum += wcstombs(bytes, wide, 3 + MORE); // EXPECT heap-buffer-overflow
    const wchar_t *from_wide = wide;
    memset(&state, 0, sizeof state);
    sum += wcsrtombs(bytes, &from_wide, 3 + MORE, &state); // EXPECT heap-buffer-overflow
    sum += (size_t)mblen(letter, 2); // EXPECT heap-buffer-overflow
    sum += (size_t)mbtowc(wides, letter, 2); // EXPECT heap-buffer-overflow
    memset(&state, 0, sizeof state);
    sum += mbrtowc(wides, letter, 2, &state); // EXPECT heap-buffer-overflow
    free(text);
    free(letter - MORE);
    free(wide);
    return sum == 0;
}
