// wscanf stores narrow characters up to the end of a block.
// RUN: stdin "[abc] rest\n"
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

int main(void) {
    char *set = malloc(4);
    int n = wscanf(L"[%[^]]] %*s", set);
    int ok = n == 1 && set[0] == 'a';
    free(set);
    return !ok;
}
