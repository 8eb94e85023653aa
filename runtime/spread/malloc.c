/* malloc and its relatives over a spread heap. */
#include "spread.h"
#include "../os/mem.h"
#include "../os/os.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#define ANY_ALIGNMENT 16u

static void *no_memory(void) {
    errno = ENOMEM;
    return NULL;
}

static void *allocate(size_t size, size_t alignment) {
    uint64_t begin;
    if (size > PTRDIFF_MAX) return no_memory();
    if (kd_allocate(spread_state(), KD_HEAP, size, alignment, &begin) != KD_OK) return no_memory();
    return (void *)begin;
}

static size_t size_of(void *pointer) { return kd_size(spread_state(), (uintptr_t)pointer); }

static int is_power_of_two(size_t value) { return value && !(value & (value - 1)); }

static void *allocate_aligned(size_t alignment, size_t size) {
    return allocate(size, alignment < ANY_ALIGNMENT ? ANY_ALIGNMENT : alignment);
}

/* Every block moves, as in checked runs; a pointer to no live block counts as none. */
static void *reallocate(void *pointer, size_t size) {
    if (pointer && !size) {
        spread_free((uintptr_t)pointer);
        return NULL;
    }
    void *fresh = allocate(size, ANY_ALIGNMENT);
    if (!fresh || !pointer) return fresh;
    size_t old = size_of(pointer);
    wh_copy(fresh, pointer, old < size ? old : size);
    spread_free((uintptr_t)pointer);
    return fresh;
}

WH_EXPORT void *malloc(size_t size) { return allocate(size, ANY_ALIGNMENT); }

WH_EXPORT void free(void *pointer) {
    if (pointer) spread_free((uintptr_t)pointer);
}

WH_EXPORT void *calloc(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) return no_memory();
    char *pointer = allocate(bytes, ANY_ALIGNMENT);
    /* Pages that were never touched are zero already; looking costs no page. */
    for (size_t at = 0; pointer && at < bytes; at += OS_PAGE) {
        size_t rest = bytes - at < OS_PAGE ? bytes - at : OS_PAGE;
        size_t i = 0;
        while (i < rest && !pointer[at + i]) i++;
        if (i < rest) wh_fill(pointer + at + i, 0, rest - i);
    }
    return pointer;
}

WH_EXPORT void *realloc(void *pointer, size_t size) { return reallocate(pointer, size); }

WH_EXPORT void *reallocarray(void *pointer, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) return no_memory();
    return reallocate(pointer, bytes);
}

WH_EXPORT void *memalign(size_t alignment, size_t size) {
    size_t power = ANY_ALIGNMENT;
    while (power < alignment && power <= PTRDIFF_MAX) power *= 2;
    return allocate_aligned(power, size);
}

WH_EXPORT void *aligned_alloc(size_t alignment, size_t size) {
    if (is_power_of_two(alignment)) return allocate_aligned(alignment, size);
    errno = EINVAL;
    return NULL;
}

WH_EXPORT int posix_memalign(void **result, size_t alignment, size_t size) {
    if (!is_power_of_two(alignment) || alignment < sizeof(void *)) return EINVAL;
    int saved = errno;
    void *pointer = allocate_aligned(alignment, size);
    errno = saved;
    if (!pointer) return ENOMEM;
    *result = pointer;
    return 0;
}

WH_EXPORT void *valloc(size_t size) { return allocate_aligned(OS_PAGE, size); }

WH_EXPORT void *pvalloc(size_t size) {
    if (size > PTRDIFF_MAX) return no_memory();
    return allocate_aligned(OS_PAGE, wh_round_up(size, OS_PAGE));
}

WH_EXPORT size_t malloc_usable_size(void *pointer) { return pointer ? size_of(pointer) : 0; }
