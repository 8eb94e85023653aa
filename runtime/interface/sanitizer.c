/* sanitizer/allocator_interface.h, and what the other headers have that says nothing to us. */
#include "sanitizer.h"
#include "../process/thread.h"

#define NOTHING(name)                                                                              \
    WH_EXPORT long name(void);                                                                     \
    long name(void) { return 0; }

SANITIZER_NOTHING_TO_DO(NOTHING)

WH_EXPORT int __sanitizer_get_ownership(const volatile void *pointer);
WH_EXPORT size_t __sanitizer_get_allocated_size(const volatile void *pointer);
WH_EXPORT const void *__sanitizer_get_allocated_begin(const void *pointer);

/* Of a live block that begins at the address. */
int __sanitizer_get_ownership(const volatile void *pointer) {
    return block_begins_live(block_place((uintptr_t)pointer), (uintptr_t)pointer);
}

size_t __sanitizer_get_allocated_size(const volatile void *pointer) {
    struct block_place place = block_place((uintptr_t)pointer);
    if (!block_begins_live(place, (uintptr_t)pointer)) return 0;
    return block_size(block_record(place.shift, place.index), place.shift, place.index);
}

const void *__sanitizer_get_allocated_begin(const void *pointer) {
    struct block_place place = blocks_holding((uintptr_t)pointer);
    if (!place.index || !blocks_live_end((uintptr_t)pointer)) return NULL;
    return (const void *)block_begin(block_record(place.shift, place.index), place.shift,
                                     place.index);
}
