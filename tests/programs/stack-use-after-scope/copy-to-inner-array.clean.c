// A library function copies to an array of a block that goes on.
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    char *line = argv[0];
    char inner[100];
    if (argc) {
        line = inner;
        strcpy(line, "inside");
    }
    strcpy(line, "outside");
    puts(line);
    return 0;
}
