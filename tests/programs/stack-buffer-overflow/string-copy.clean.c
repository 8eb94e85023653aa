// A string fits into the local array that it is copied to.
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    char name[9];
    strcpy(name, argc ? "whenceof" : "");
    return puts(name) < 0;
}
