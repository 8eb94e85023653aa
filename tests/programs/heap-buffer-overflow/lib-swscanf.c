// swscanf stores a word that is longer than the block, and its final zero.
#include <stdlib.h>
#include <wchar.h>

int main(void) {
    wchar_t *word = malloc(4 * sizeof *word); // ALLOC
    int *number = malloc(sizeof *number);
    int n = swscanf(L"skipped abcd 42", L"%*ls %ls %d", word, number); // EXPECT heap-buffer-overflow write 20 block 16 after 0 in swscanf
    int ok = n == 2 && word[0] == L'a' && *number == 42;
    free(word);
    free(number);
    return !ok;
}
