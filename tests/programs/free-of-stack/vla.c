// Frees an array of variable length, which is on the stack.
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static int work(int n) {
    char buffer[n];
    memset(buffer, 7, n);
    char *copy = malloc(n);
    memcpy(copy, buffer, n);
    int v = copy[n - 1];
    free(buffer); // EXPECT free-of-stack block 33
    free(copy);
    return v;
}

int main(void) {
    return work(33) != 7;
}
