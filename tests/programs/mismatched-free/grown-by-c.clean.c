// An array that a library in C++ allocated is copied by a program in C into a larger one.
// RUN: ldflags -lstdc++
#include <stdlib.h>
#include <string.h>

void *operator_new_array(size_t size) __asm__("_Znam");
void operator_delete_array(void *array) __asm__("_ZdaPv");

static int *numbers(size_t count) {
    return memset(operator_new_array(count * sizeof(int)), 0, count * sizeof(int));
}

static int *grown(int *old, size_t from, size_t to) {
    int *fresh = malloc(to * sizeof *old);
    memcpy(fresh, old, from * sizeof *old);
    operator_delete_array(old);
    return fresh;
}

int main(void) {
    int *all = grown(numbers(4), 4, 8);
    int first = all[0];
    free(all);
    return first;
}
