// Variables are accessed by their own names while a part of them is inaccessible.
// RUN: options --keep-going
#include <stddef.h>
#include <string.h>

void __asan_poison_memory_region(const volatile void *, size_t);
void __asan_unpoison_memory_region(const volatile void *, size_t);
void __sanitizer_annotate_contiguous_container(const void *, const void *, const void *,
                                               const void *);

static volatile int one = 1;
static long pool[64];

int main(void) {
    char name[64] = "", copy[64];
    long elements[100] = {0};
    int total = 0;
    __asan_poison_memory_region(name + 8, 16);
    memcpy(copy, name, sizeof copy); // EXPECT use-after-poison
    total += copy[1] + name[one];
    __asan_unpoison_memory_region(name + 8, 16);
    __asan_poison_memory_region(pool + 32, sizeof(long));
    pool[32 * one] = 1; // EXPECT use-after-poison
    total += (int)pool[33 * one];
    __asan_unpoison_memory_region(pool + 32, sizeof(long));
    __sanitizer_annotate_contiguous_container(elements, elements + 100, elements + 100,
                                              elements + 50);
    total += (int)elements[60 * one]; // EXPECT use-after-poison
    total += (int)elements[49 * one];
    __sanitizer_annotate_contiguous_container(elements, elements + 100, elements + 50,
                                              elements + 100);
    return total;
}
