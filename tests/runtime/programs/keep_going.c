#include "common.h"
int main(void) {
    char *a = malloc(10), *b = malloc(10);
    for (int i = 0; i < 100000; i++) {
        STORE(a + 10 + i % 4, a, 1);
    }
    LOAD(a + 12, a, 1);
    free(b);
    free(b);
    puts("went on");
    free(a);
    return 7;
}
