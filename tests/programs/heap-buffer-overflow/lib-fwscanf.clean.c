// fwscanf stores narrow characters up to the end of a block.
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

int main(void) {
    static char text[] = "[abc] rest";
    FILE *file = fmemopen(text, sizeof text - 1, "r");
    char *set = malloc(4);
    int n = fwscanf(file, L"[%[^]]] %*s", set);
    int ok = n == 1 && set[0] == 'a';
    fclose(file);
    free(set);
    return !ok;
}
