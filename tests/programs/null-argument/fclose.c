// A file that could not be opened is closed.
#include <stdio.h>

int main(void) {
    FILE *file = fopen("/does/not/exist", "r");
    fclose(file); // EXPECT null-argument address 0 in fclose
    return 0;
}
