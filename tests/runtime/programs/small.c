#include "common.h"
int main(void) {
    char *a = malloc(8);
    STORE(a + 8, a, 1);
    LOAD(a + 9, a, 1);
    return 0;
}
