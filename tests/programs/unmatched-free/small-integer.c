// Frees an error code that was stored as a pointer.
#include <stdint.h>
#include <stdlib.h>

static void *make(int fail) {
    return fail ? (void *)(intptr_t)-12 : malloc(12);
}

int main(void) {
    free(make(0));
    void *p = make(1);
        free(p); // EXPECT unmatched-free block none
    return 0;
}
