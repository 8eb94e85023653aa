// A file that could not be opened is not closed.
#include <stdio.h>

int main(void) {
    FILE *file = fopen("/does/not/exist", "r");
    if (file)
        fclose(file);
    return 0;
}
