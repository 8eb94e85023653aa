// The clean twin of first-bytes-in-part.c: all bytes that are used are written.
// RUN: options --enable use-of-uninitialized-value --keep-going
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define APART __attribute__((noinline)) static

APART void put(char *to) { to[1] = to[0] = 'x'; }

APART void in_place(void) {
    char text[8];
    text[1] = text[0] = 'x';
    write(1, text, 2);
}

APART void elsewhere(void) {
    char text[8];
    put(text);
    write(1, text, 2);
}

APART void members(void) {
    struct {
        char first, second;
        int number;
    } pair;
    put(&pair.first);
    pair.number = 1;
    write(1, &pair, 1);
}

APART void by_the_library(void) {
    char text[6];
    memcpy(text, "hello", 6);
    write(1, text, sizeof text);
}

int main(void) {
    in_place();
    elsewhere();
    members();
    by_the_library();
    return 0;
}
