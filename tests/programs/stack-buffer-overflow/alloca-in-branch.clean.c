// What a branch of a function has allocated on the stack, of a constant size, has room for a string.
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    (void)argv;
    char *text = "";
    if (argc > 0) {
        text = alloca(11);
        strcpy(text, argc > 0 ? "ten bytes." : "");
    }
    puts(text);
    return 0;
}
