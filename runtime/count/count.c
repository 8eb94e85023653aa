/* malloc and its relatives: the C library serves them, and what they give and take is counted.
 *
 * What a block has is kept in a word for each 16 bytes of memory, in tables of 4 MiB of memory that
 * are made when the first block lies there. Blocks that are in none, as those that the loader had
 * before, are the C library's alone.
 */
#include "count.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../port/port.h"
#include "../process/thread.h"
#include "../profile/profile.h"
#include "../stacks/depot.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

#define FRAME ((const struct frame *)__builtin_frame_address(0))

/* Bytes that a block has, by the word before it, in which the C library keeps them and flags. */
static inline size_t usable(const void *block) {
    size_t word = ((const size_t *)block)[-1];
    int is_mapped = word & 2;
    return (word & ~(size_t)7) - (is_mapped ? 2 : 1) * sizeof word;
}

/* ---- what blocks have ---- */

#define REGION_SHIFT 22u
#define BLOCK_SHIFT 4u
#define REGIONS (1ull << (WH_ADDRESS_BITS - REGION_SHIFT))
#define REGION_SIZE (1ull << (REGION_SHIFT - BLOCK_SHIFT)) /* in words */
#define REGIONS_MOST (1u << 16)

/* A word: 1 and the size above the number of the stack; 0: no block. */
#define STACK_BITS 22u
static uint64_t **regions;
static uint32_t used[REGIONS_MOST]; /* regions that have a table */
static uint32_t used_count;

static WH_COLD uint64_t *new_region(uint64_t number) {
    uintptr_t made = os_map(REGION_SIZE * sizeof(uint64_t));
    uint64_t *none = NULL;
    if (!made) return NULL;
    if (!__atomic_compare_exchange_n(&regions[number], &none, (uint64_t *)made, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        os_unmap(made, REGION_SIZE * sizeof(uint64_t));
        return none;
    }
    uint32_t place = __atomic_fetch_add(&used_count, 1, __ATOMIC_RELAXED);
    if (place < REGIONS_MOST) __atomic_store_n(&used[place], (uint32_t)number, __ATOMIC_RELEASE);
    return (uint64_t *)made;
}

/* The word of a block; NULL: there is none, and with `makes` there can be none. */
static inline uint64_t *word_of(const void *block, int makes) {
    uintptr_t at = (uintptr_t)block;
    uint64_t number = at >> REGION_SHIFT;
    if (WH_UNLIKELY(!regions || number >= REGIONS)) return NULL;
    uint64_t *region = __atomic_load_n(&regions[number], __ATOMIC_ACQUIRE);
    if (WH_UNLIKELY(!region) && makes) region = new_region(number);
    return region ? &region[at >> BLOCK_SHIFT & (REGION_SIZE - 1)] : NULL;
}

static inline uint64_t packed(size_t size, uint32_t stack) {
    uint32_t number = depot_number(stack);
    return (uint64_t)(size + 1) << STACK_BITS | (number >> STACK_BITS ? 0 : number);
}

static inline struct table_block counted(uint64_t word, uint64_t space) {
    uint64_t size = (word >> STACK_BITS) - 1;
    uint32_t stack = depot_handle(word & ((1u << STACK_BITS) - 1));
    return (struct table_block){size, space - size, profile_row(stack)};
}

static void inherit(const struct table *table, uintptr_t except) {
    (void)except;
    uint32_t count = used_count < REGIONS_MOST ? used_count : REGIONS_MOST;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t *region = regions[used[i]];
        uintptr_t begin = (uintptr_t)used[i] << REGION_SHIFT;
        for (uint64_t at = 0; region && at < REGION_SIZE; at++)
            if (region[at])
                table_inherit(table, counted(region[at],
                                             usable((const void *)(begin + (at << BLOCK_SHIFT)))));
    }
}

int count_begin(void) {
    regions = (uint64_t **)os_map(REGIONS * sizeof *regions);
    return regions != NULL;
}

/* ---- counting ---- */

static void *note(void *block, size_t size, const struct frame *frame) {
    struct thread *thread = thread_here();
    if (WH_UNLIKELY(!block || !regions || thread->hooking)) return block;
    if (WH_UNLIKELY(!thread->tid)) count_thread(thread, frame);
    uint32_t stack = port_stack(thread, frame);
    uint64_t *word = word_of(block, 1);
    thread->last_made = (uintptr_t)block;
    const struct table *table = word ? profile_enter(thread, inherit, 0) : NULL;
    if (WH_UNLIKELY(!table)) {
        if (!word) profile_miss();
        return block;
    }
    *word = packed(size, stack);
    table_made(table, counted(*word, usable(block)));
    profile_leave(thread);
    return block;
}

static void forget(void *block) {
    struct thread *thread = thread_here();
    uint64_t *word = word_of(block, 0);
    if (!word || !*word) return;
    int is_temporary = thread->last_made == (uintptr_t)block;
    if (is_temporary) thread->last_made = 0;
    const struct table *table = profile_enter(thread, inherit, 0);
    if (WH_LIKELY(table)) {
        table_freed(table, counted(*word, usable(block)), is_temporary);
        *word = 0;
        profile_leave(thread);
    }
    *word = 0;
}

/* As soon as the C library has freed the old place, another thread may get it. */
static void *resize(void *block, size_t size, const struct frame *frame) {
    struct thread *thread = thread_here();
    if (profile_enter(thread, inherit, 0)) profile_leave(thread);
    uint64_t *word = word_of(block, 0), old = word ? *word : 0, space = usable(block);
    if (!old) return note(__libc_realloc(block, size), size, frame);
    *word = 0;
    void *fresh = __libc_realloc(block, size);
    if (!fresh) {
        *word = old;
        return NULL;
    }
    if (WH_UNLIKELY(!thread->tid)) count_thread(thread, frame);
    uint32_t stack = port_stack(thread, frame);
    thread->last_made = (uintptr_t)fresh;
    uint64_t *next = word_of(fresh, 1);
    const struct table *table = profile_enter(thread, inherit, 0);
    if (!table) return fresh;
    if (next) {
        *next = packed(size, stack);
        table_resized(table, counted(old, space), counted(*next, usable(fresh)));
    } else {
        table_freed(table, counted(old, space), 0);
        profile_miss();
    }
    profile_leave(thread);
    return fresh;
}

/* ---- the functions ---- */

WH_EXPORT void *malloc(size_t size) { return note(__libc_malloc(size), size, FRAME); }

void *count_new(size_t size, const struct frame *frame) {
    return note(__libc_malloc(size), size, frame);
}

WH_EXPORT void *calloc(size_t count, size_t size) {
    return note(__libc_calloc(count, size), count * size, FRAME);
}

WH_EXPORT void free(void *block) {
    if (!block) return;
    forget(block);
    __libc_free(block);
}

static void *reallocate(void *block, size_t size, const struct frame *frame) {
    if (!block) return note(__libc_realloc(block, size), size, frame);
    if (size) return resize(block, size, frame);
    forget(block);
    return __libc_realloc(block, size);
}

WH_EXPORT void *realloc(void *block, size_t size) { return reallocate(block, size, FRAME); }

WH_EXPORT void *reallocarray(void *block, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return reallocate(block, bytes, FRAME);
}

WH_EXPORT void *memalign(size_t alignment, size_t size) {
    return note(__libc_memalign(alignment, size), size, FRAME);
}

static int is_power_of_two(size_t value) { return value && !(value & (value - 1)); }

WH_EXPORT void *aligned_alloc(size_t alignment, size_t size) {
    if (!is_power_of_two(alignment)) {
        errno = EINVAL;
        return NULL;
    }
    return note(__libc_memalign(alignment, size), size, FRAME);
}

WH_EXPORT int posix_memalign(void **result, size_t alignment, size_t size) {
    if (!is_power_of_two(alignment) || alignment % sizeof(void *)) return EINVAL;
    int saved = errno;
    void *block = __libc_memalign(alignment, size);
    errno = saved;
    if (!block) return ENOMEM;
    *result = note(block, size, FRAME);
    return 0;
}

WH_EXPORT void *valloc(size_t size) { return note(__libc_memalign(OS_PAGE, size), size, FRAME); }

WH_EXPORT void *pvalloc(size_t size) {
    size_t whole = wh_round_up(size, OS_PAGE);
    if (whole < size) {
        errno = ENOMEM;
        return NULL;
    }
    return note(__libc_memalign(OS_PAGE, whole), whole, FRAME);
}

size_t malloc_usable_size(void *block);
WH_EXPORT size_t malloc_usable_size(void *block) { return block ? usable(block) : 0; }
