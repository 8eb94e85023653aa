// The value of a freed pointer is compared, printed and overwritten, and never used as an address.
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    uintptr_t seen[100];
    int again = 0;
    for (int i = 0; i < 100; i++) {
        char *p = malloc(40);
        *p = 1;
        free(p);
        for (int j = 0; j < i; j++)
            again += seen[j] == (uintptr_t)p;
        seen[i] = (uintptr_t)p;
        p = NULL;
        free(p);
    }
    return again < 0;
}
