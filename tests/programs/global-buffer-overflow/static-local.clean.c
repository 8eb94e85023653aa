// A static array in a function holds what is formatted into it.
#include <stdio.h>

__attribute__((noinline)) static const char *text_of(int number) {
    static char text[4];
    sprintf(text, "%d", number);
    return text;
}

int main(void) {
    return text_of(123)[0] != '1';
}
