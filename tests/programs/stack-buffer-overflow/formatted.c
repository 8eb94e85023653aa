// What snprintf may write is said to be more than the local array holds, and is.
#include <stdio.h>

int main(int argc, char **argv) {
    char line[12];
    int count = snprintf(line, 64, "argument %d of %d", argc, argc);  // EXPECT stack-buffer-overflow write * block 12 after 0 in snprintf
    return count != 15;
}
