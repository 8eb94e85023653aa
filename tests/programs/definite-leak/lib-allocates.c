// What strndup, asprintf, realpath and open_memstream allocate is the caller's to free.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int lose(void) {
    char *text, *stored;
    size_t size;
    char *part = strndup("some text", 4);                 // EXPECT definite-leak block 5 count 1
    int bad = !part || asprintf(&text, "%d", 12345) != 5; // EXPECT definite-leak block 6 count 1
    bad += !realpath("/usr/..", NULL);                    // EXPECT definite-leak count 1
    FILE *stream = open_memstream(&stored, &size);
    bad += !stream || fputs("text", stream) < 0;
    fclose(stream); // EXPECT definite-leak block 5 count 1
    return bad;
}

int main(void) {
    int bad = lose();
    char clear[4000];
    memset(clear, 1, sizeof clear);
    return bad + (clear[3999] != 1);
}
