// A string with its end is one byte longer than the local array that it is copied to.
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    char name[8];
    strcpy(name, argc ? "whenceof" : "");  // EXPECT stack-buffer-overflow write 9 block 8 after 0 in strcpy
    return puts(name) < 0;
}
