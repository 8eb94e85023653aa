// A loop runs from the array that a variable begins with into the next one.
// RUN: options --enable index-out-of-bounds
#include <stdio.h>

static struct {
    int codes[4];
    int names[4];
} table = {{1, 2, 3, 4}, {5, 6, 7, 8}};

int main(int argc, char **argv) {
    (void)argv;
    int sum = 0;
    for (int i = 0; i < 4 * argc + 1; i++) sum += table.codes[i]; // EXPECT index-out-of-bounds
    printf("%d\n", sum);
    return 0;
}
