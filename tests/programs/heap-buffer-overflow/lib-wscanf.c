// wscanf stores narrow characters behind the end of a block.
// RUN: stdin "[abc] rest\n"
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

int main(void) {
    char *set = malloc(3); // ALLOC
    int n = wscanf(L"[%[^]]] %*s", set); // EXPECT heap-buffer-overflow write 4 block 3 after 0 in wscanf
    int ok = n == 1 && set[0] == 'a';
    free(set);
    return !ok;
}
