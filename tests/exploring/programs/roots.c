/* A page of initialised data, which nothing writes to after main has begun, has the pointer to a block. */
#include <stdio.h>
#include <stdlib.h>

static struct {
    _Alignas(4096) char *pointers[4096 / sizeof(char *) * 2];
} data = {{"begin"}};

__attribute__((constructor)) static void allocate(void) { data.pointers[512] = malloc(100); }

int main(void) {
    int status = 1;
    if (getchar() == 'a') status = 2;
    return status;
}
