// One line loses blocks of different sizes in a loop.
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static int use(int n) {
    char *p = malloc(n); // EXPECT definite-leak count 10 bytes 55
    memset(p, 1, n);
    int v = p[n - 1];
    return v;
}

int main(void) {
    int sum = 0;
    for (int n = 1; n <= 10; n++)
        sum += use(n);
    return sum != 10;
}
