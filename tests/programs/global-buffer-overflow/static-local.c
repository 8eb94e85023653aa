// A static array in a function is a byte too small for what is formatted into it.
#include <stdio.h>

__attribute__((noinline)) static const char *text_of(int number) {
    static char text[4];
    sprintf(text, "%d", number);  // EXPECT global-buffer-overflow write 5 block 4 inside 0 in sprintf
    return text;
}

int main(void) {
    return text_of(1234)[0] != '1';
}
