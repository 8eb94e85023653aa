// Texts without a final zero are searched for what is in them.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *text = malloc(12);
    memcpy(text, "one, two, si", 12);
    int right = strstr(text, "si") == text + 10 && strcasestr(text, "TWO") == text + 5;
    free(text);
    return !right;
}
