/* Reads with a function that is not followed. */
#include <stdio.h>
#include <wchar.h>

int main(void) {
    wint_t read = fgetwc(stdin);
    return read == L'a';
}
