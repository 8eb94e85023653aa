/* The functions of sanitizer/allocator_interface.h, and those of the other headers that do nothing
 * here. */
#include "sanitizer.h"
#include "../process/thread.h"

#define NOTHING(name)                                                                              \
    WH_EXPORT long name(void);                                                                     \
    long name(void) { return 0; }

SANITIZER_NOTHING_TO_DO(NOTHING)

WH_EXPORT int __sanitizer_get_ownership(const volatile void *pointer);
WH_EXPORT size_t __sanitizer_get_allocated_size(const volatile void *pointer);
WH_EXPORT const void *__sanitizer_get_allocated_begin(const void *pointer);

/* These two are about a live block that begins at the address. */
int __sanitizer_get_ownership(const volatile void *pointer) {
    return heap_begins_live(heap_block((uintptr_t)pointer), (uintptr_t)pointer);
}

size_t __sanitizer_get_allocated_size(const volatile void *pointer) {
    struct block block = heap_block((uintptr_t)pointer);
    return heap_begins_live(block, (uintptr_t)pointer) ? block_size(block) : 0;
}

const void *__sanitizer_get_allocated_begin(const void *pointer) {
    struct block block = block_at((uintptr_t)pointer);
    int allocated = block_is_live(block) && block_kind(block) == WH_KIND_HEAP;
    return allocated ? (const void *)block_begin(block) : NULL;
}
