// Formats that are NULL: the C library refuses them, whatever the function.
// RUN: options --keep-going
// RUN: stdout "-1 -1 -1 -1 -1\n"
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

int main(void) {
    const char *volatile none = NULL;
    const wchar_t *volatile wide = NULL;
    char text[10], *fresh = NULL;
    wchar_t word[10];
    int a = asprintf(&fresh, none); // EXPECT null-argument address 0 in asprintf
    int b = snprintf(text, sizeof text, none); // EXPECT null-argument address 0 in snprintf
    int c = fprintf(stderr, none); // EXPECT null-argument address 0 in fprintf
    int d = sscanf("1", none, text); // EXPECT null-argument address 0 in sscanf
    int e = swprintf(word, 10, wide); // EXPECT null-argument address 0 in swprintf
    printf("%d %d %d %d %d\n", a, b, c, d, e);
    return 0;
}
