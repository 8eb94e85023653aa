// The token is written, and what lies behind it is not.
// RUN: options --enable use-of-uninitialized-value
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *text = malloc(32);
    char *rest;
    text[0] = 'a';
    text[1] = 'b';
    text[2] = ',';
    text[31] = 0;
    char *token = strtok_r(text, ",", &rest);
    int empty = token == NULL;
    free(text);
    return empty;
}
