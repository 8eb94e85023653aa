// A loop runs backwards over a global array to its begin.
#include <stdio.h>

char text[] = "         x";

__attribute__((noinline)) static char *start_of_blanks(char *end) {
    do
        end--;
    while (end > text && *end == ' ');
    return end;
}

int main(void) {
    return start_of_blanks(text + 9) > text;
}
