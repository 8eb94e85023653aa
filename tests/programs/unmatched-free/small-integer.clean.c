// Frees a pointer unless it is an error code.
#include <stdint.h>
#include <stdlib.h>

static void *make(int fail) {
    return fail ? (void *)(intptr_t)-12 : malloc(12);
}

int main(void) {
    free(make(0));
    void *p = make(1);
    if ((uintptr_t)p < (uintptr_t)-4096)
        free(p);
    return 0;
}
