// Texts without a final zero are searched for what is not in them.
// RUN: options --keep-going
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *text = malloc(12);
    memcpy(text, "one, two, si", 12);
    int wrong = strstr(text, "six") != NULL;  // EXPECT heap-buffer-overflow
    wrong |= strcasestr(text, "TEN") != NULL; // EXPECT heap-buffer-overflow
    free(text);
    return wrong && text == NULL;
}
