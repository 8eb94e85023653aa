// A loop runs backwards over a global array, past its begin.
#include <stdio.h>

char text[] = "         x";

__attribute__((noinline)) static char *start_of_blanks(char *end) {
    do
        end--;
    while ( *end == ' ');  // EXPECT global-buffer-overflow read 1 block 11 before 1
    return end;
}

int main(void) {
    return start_of_blanks(text + 9) > text;
}
