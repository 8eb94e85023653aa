// A function returns an undefined value to a caller with variables of its own, in many registers.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static long parse(const char *text) {
    long result; // BORN
    if (text[0] == '#')
        result = strtol(text + 1, NULL, 10);
    return result;
}

__attribute__((noinline)) static long fold(const char *const *words, int count) {
    long a = 1, b = 2, c = 3, d = 5;
    char last[16] = "";
    for (int i = 0; i < count; i++) {
        long value = parse(words[i]);
        a += value;
        b ^= a << 1;
        c = c * 3 + b;
        d -= c >> 2;
        snprintf(last, sizeof last, "%s", words[i]);
    }
    printf("%s\n", last);
    if (d < 0) // EXPECT use-of-uninitialized-value use branch
        puts("negative");
    return b + c;
}

int main(void) {
    const char *words[] = {"#4", "#7", "x", "#1"};
    printf("%d\n", fold(words, 4) != 0);
    return 0;
}
