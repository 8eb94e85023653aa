// swscanf stores a word with a width that just fits, and a number.
#include <stdlib.h>
#include <wchar.h>

int main(void) {
    wchar_t *word = malloc(4 * sizeof *word);
    int *number = malloc(sizeof *number);
    int n = swscanf(L"skipped abcd 42", L"%*ls %3ls%*lc %d", word, number);
    int ok = n == 2 && word[0] == L'a' && *number == 42;
    free(word);
    free(number);
    return !ok;
}
