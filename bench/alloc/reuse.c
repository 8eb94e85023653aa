/* The addresses of blocks of 64 bytes that are freed at once: reuse COUNT. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    long count = argc == 2 ? atol(argv[1]) : 0;
    uintptr_t *addresses = calloc((size_t)count, sizeof *addresses);
    if (!addresses) return 2;
    for (long i = 0; i < count; i++) {
        void *block = malloc(64);
        addresses[i] = (uintptr_t)block;
        free(block);
    }
    for (long i = 0; i < count; i++) printf("%#lx\n", (unsigned long)addresses[i]);
    free(addresses);
    return 0;
}
