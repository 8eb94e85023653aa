// A library function copies to an array of a block that has ended.
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    char *line = argv[0];
    if (argc) {
        char inner[100];
        line = inner;
        strcpy(line, "inside");
    }
    strcpy(line, "outside");  // EXPECT stack-use-after-scope write 8 block 100 inside 0 in strcpy
    puts(line);
    return 0;
}
