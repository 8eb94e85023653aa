// Formats of every function are there.
// RUN: stdout "0 0 0 0 0\n"
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

int main(void) {
    const char *volatile none = "";
    const wchar_t *volatile wide = L"";
    char text[10], *fresh = NULL;
    wchar_t word[10];
    int a = asprintf(&fresh, none);
    int b = snprintf(text, sizeof text, none);
    int c = fprintf(stderr, none);
    int d = sscanf("1", none, text);
    int e = swprintf(word, 10, wide);
    printf("%d %d %d %d %d\n", a, b, c, d, e);
    free(fresh);
    return 0;
}
