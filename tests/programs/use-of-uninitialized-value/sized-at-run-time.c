// One element of an array whose size is not constant is never written.
// RUN: options --enable use-of-uninitialized-value
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static int largest(int count, int skipped) {
    int numbers[count]; // BORN
    for (int i = 0; i < count; i++)
        if (i != skipped)
            numbers[i] = i * i % 7;
    int found = 0;
    for (int i = 0; i < count; i++)
        if (numbers[i] > 5) // EXPECT use-of-uninitialized-value use branch
            found += printf("%d\n", i);
    return found;
}

int main(int argc, char **argv) {
    int sum = 0;
    for (int i = 1; i < 5; i++)
        sum += largest(10 * i, 100);
    if (argc > 0) {
        char *text = alloca((size_t)argc + 15);
        snprintf(text, (size_t)argc + 15, "%d", sum);
        puts(text);
    }
    sum += largest(20, 11);
    printf("%d\n", sum);
    (void)argv;
    return 0;
}
