// What a branch of a function has allocated on the stack, of a constant size, is too small for a string.
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    (void)argv;
    char *text = "";
    if (argc > 0) {
        text = alloca(10);
        strcpy(text, argc > 0 ? "ten bytes." : "");  // EXPECT stack-buffer-overflow write 11 block 10 after 0 in strcpy
    }
    puts(text);
    return 0;
}
