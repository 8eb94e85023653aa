// A byte of a token was never written; what lies behind the token has not been written, either.
// RUN: options --enable use-of-uninitialized-value
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *text = malloc(32); // BORN
    char *rest;
    text[0] = 'a';
    text[2] = ',';
    text[31] = 0;
    char *token = strtok_r(text, ",", &rest); // EXPECT use-of-uninitialized-value use memory in strtok_r
    int empty = token == NULL;
    free(text);
    return empty;
}
