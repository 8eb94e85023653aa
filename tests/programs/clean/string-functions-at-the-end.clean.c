// String functions on strings whose last byte is the last of their block, or that have no
// terminator and a bound.
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static char *exact(const char *s, size_t n) {
    char *p = malloc(n);
    memcpy(p, s, n);
    return p;
}

int main(void) {
    char *raw = exact("abcdef", 6), *text = exact("abcdef", 7), *number = exact("-12e1", 6);
    char *to = malloc(13);
    int bad = 0;
    bad += strncmp(raw, "abcdefgh", 6) != 0;
    bad += strncmp(raw, "abx", 100) >= 0;
    bad += strncasecmp(raw, "ABCDEF", 6) != 0;
    bad += strcasecmp(text, "ABCDEF") != 0;
    bad += strnlen(raw, 6) != 6;
    bad += memchr(raw, 'f', 6) != raw + 5;
    bad += memrchr(raw, 'a', 6) != raw;
    bad += strrchr(text, 'f') != text + 5;
    bad += strpbrk(text, "xyf") != text + 5;
    bad += strspn(text, "abcdef") != 6;
    bad += strcspn(text, "z") != 6;
    bad += strstr(text, "def") != text + 3;
    bad += memmem(raw, 6, "ef", 2) != (void *)(raw + 4);
    bad += strtol(number, NULL, 10) != -12;
    bad += strtod(number, NULL) != -120;
    bad += atoi(number) != -12;
    strcpy(to, text);
    strcat(to, text);
    bad += strlen(to) != 12;
    strncpy(to, raw, 6);
    memmove(to + 1, to, 12);
    memmove(to, to + 1, 12);
    strcpy(to, "a,b,,c");
    int fields = 0;
    for (char *rest = to; strsep(&rest, ",");)
        fields++;
    bad += fields != 4;
    strcpy(to, "a b c");
    char *state;
    fields = 0;
    for (char *w = strtok_r(to, " ", &state); w; w = strtok_r(NULL, " ", &state))
        fields++;
    bad += fields != 3;
    bad += snprintf(to, 13, "%.*s|%.6s", 3, raw, raw) != 10;
    bad += sprintf(to, "%-12s", "padded") != 12;
    char *end = stpcpy(to, "stp");
    bad += end != to + 3;
    free(raw);
    free(text);
    free(number);
    free(to);
    return bad;
}
