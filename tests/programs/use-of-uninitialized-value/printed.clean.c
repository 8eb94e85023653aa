// A number that was read is printed.
// RUN: options --enable use-of-uninitialized-value
#include <stdio.h>

__attribute__((noinline)) static void print(int number) {
    printf("%d\n", number);
}

int main(int argc, char **argv) {
    int number = 0;
    if (argc > 1)
        sscanf(argv[1], "%d", &number);
    print(number);
    return 0;
}
