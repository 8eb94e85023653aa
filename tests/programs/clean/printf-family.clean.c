// printf and its relatives: widths from arguments, %n, positions, %.*s without a terminator,
// asprintf, open_memstream.
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *format(const char *f, ...) {
    va_list ap, again;
    va_start(ap, f);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, f, ap);
    va_end(ap);
    char *s = malloc(n + 1);
    vsnprintf(s, n + 1, f, again);
    va_end(again);
    return s;
}

int main(void) {
    int bad = 0;
    char *three = malloc(3);
    memcpy(three, "abc", 3);
    char *a = format("%*d|%-*s|%.*s|%%|%c", 5, 42, 4, "x", 3, three, 'y');
    bad += strcmp(a, "   42|x   |abc|%|y") != 0;
    char *b = NULL;
    bad += asprintf(&b, "%s %5.2f %Lg %lld %zu %p", a, 1.5, 2.5L, -1LL, sizeof b, (void *)NULL) < 0;
    bad += strstr(b, "1.50 2.5 -1 8") == NULL;
    char *c = format("%2$s %1$s", "one", "two");
    bad += strcmp(c, "two one") != 0;
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "%s %ls", c, L"wide");
    fclose(f);
    bad += size != 12 || strcmp(text, "two one wide") != 0;
    char *exact = malloc(8);
    int at = 0;
    bad += snprintf(exact, 8, "%s", "1234567890") != 10 || exact[7] != 0;
    sscanf("word 17", "%7s%n", exact, &at);
    bad += at != 4;
    printf("%.3s\n", three);
    free(a);
    free(b);
    free(c);
    free(text);
    free(three);
    free(exact);
    return bad;
}
