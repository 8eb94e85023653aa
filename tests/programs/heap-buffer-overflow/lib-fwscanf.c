// fwscanf stores narrow characters behind the end of a block.
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

int main(void) {
    static char text[] = "[abc] rest";
    FILE *file = fmemopen(text, sizeof text - 1, "r");
    char *set = malloc(3); // ALLOC
    int n = fwscanf(file, L"[%[^]]] %*s", set); // EXPECT heap-buffer-overflow write 4 block 3 after 0 in fwscanf
    int ok = n == 1 && set[0] == 'a';
    fclose(file);
    free(set);
    return !ok;
}
