// An array that a library in C++ allocated is grown by a program in C, with realloc.
// RUN: ldflags -lstdc++
#include <stdlib.h>
#include <string.h>

void *operator_new_array(size_t size) __asm__("_Znam");
void operator_delete_array(void *array) __asm__("_ZdaPv");

static int *numbers(size_t count) {
    return memset(operator_new_array(count * sizeof(int)), 0, count * sizeof(int)); // ALLOC
}

static int *grown(int *old, size_t from, size_t to) {
    (void)from;
    return realloc(old, to * sizeof *old); // EXPECT mismatched-free block 16 inside 0
}

int main(void) {
    int *all = grown(numbers(4), 4, 8);
    int first = all[0];
    free(all);
    return first;
}
