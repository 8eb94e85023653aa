// What strndup, asprintf, realpath and open_memstream allocate is the caller's to free.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int lose(void) {
    char *text, *stored;
    size_t size;
    char *part = strndup("some text", 4);
    int bad = !part || asprintf(&text, "%d", 12345) != 5;
    char *path = realpath("/usr/..", NULL);
    bad += !path;
    FILE *stream = open_memstream(&stored, &size);
    bad += !stream || fputs("text", stream) < 0;
    fclose(stream);
    free(part), free(text), free(path), free(stored);
    return bad;
}

int main(void) {
    int bad = lose();
    char clear[4000];
    memset(clear, 1, sizeof clear);
    return bad + (clear[3999] != 1);
}
