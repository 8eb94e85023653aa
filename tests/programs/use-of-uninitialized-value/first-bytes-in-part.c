// Small variables of which some of the low bytes are written, here or elsewhere, and then others are used.
// RUN: options --enable use-of-uninitialized-value --keep-going
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define APART __attribute__((noinline)) static

APART void put(char *to) { to[1] = 'x'; }

APART void in_place(void) {
    char text[8]; // BORN
    text[1] = 'x';
    write(1, text, 2); // EXPECT use-of-uninitialized-value use memory
}

APART void elsewhere(void) {
    char text[8]; // BORN
    put(text);
    write(1, text, 2); // EXPECT use-of-uninitialized-value use memory
}

APART void members(void) {
    struct {
        char first, second;
        int number;
    } pair; // BORN
    put(&pair.first);
    pair.number = 1;
    write(1, &pair, 1); // EXPECT use-of-uninitialized-value use memory
}

APART void by_the_library(void) {
    char text[6]; // BORN
    memcpy(text, "hello", 5);
    write(1, text, sizeof text); // EXPECT use-of-uninitialized-value use memory
}

int main(void) {
    in_place();
    elsewhere();
    members();
    by_the_library();
    return 0;
}
