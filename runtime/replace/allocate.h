/* The allocation that malloc, new and new[] share. */
#ifndef WHENCE_REPLACE_ALLOCATE_H
#define WHENCE_REPLACE_ALLOCATE_H

#include "../alloc/quick.h"
#include "../process/thread.h"

/* Instrumented code calls __whence_NAME: no other library can replace that name, and the optimiser
 * makes no assumptions about it. */
#define ALIAS(name)                                                                                \
    __asm__(".globl __whence_" #name "\n"                                                          \
            ".type __whence_" #name ", @function\n"                                                \
            ".set __whence_" #name ", " #name "\n")

/* A new block, or NULL with errno. Fills in stack and thread. */
void *allocate_slowly(struct heap_request *request, const struct frame *frame);

/* A block aligned to 16 bytes. */
static inline void *allocate_sized(size_t size, uint8_t family, int zeroed,
                                   const struct frame *frame) {
    uintptr_t quick = quick_new(&thread_self.cache, size, family, zeroed);
    if (WH_LIKELY(quick)) return (void *)quick;
    struct heap_request request = {size, 16, 0, 0, family, (uint8_t)zeroed, 0, 0};
    return allocate_slowly(&request, frame);
}

/* A request of the program, with the arguments it gave. */
struct wish {
    const char *function;
    size_t count, size, alignment, least;
    uint8_t family;
};

/* A request that cannot be granted, or not as it stands: shown to the rules. */
void report_wish(const struct wish *wish, const struct frame *frame);

static inline int is_power_of_two(size_t value) { return value && !(value & (value - 1)); }

/* What the program says of the block that it frees. */
struct parting {
    uint64_t size;      /* if `sized` */
    uint64_t alignment; /* 0: it says none */
    uint8_t family;
    uint8_t sized;
};

/* Frees, or reports what is wrong with that. */
void release_slowly(void *pointer, const struct parting *parting, const struct frame *frame);

static inline void release_as(void *pointer, const struct parting *parting,
                              const struct frame *frame) {
    if (WH_LIKELY(quick_release(&thread_self.cache, (uintptr_t)pointer, parting->family))) return;
    release_slowly(pointer, parting, frame);
}

/* Frees by a function that is given the pointer alone. */
static inline void release(void *pointer, uint8_t family, const struct frame *frame) {
    static const struct parting plain[] = {
        [WH_FAMILY_MALLOC] = {0, 0, WH_FAMILY_MALLOC, 0},
        [WH_FAMILY_NEW] = {0, 0, WH_FAMILY_NEW, 0},
        [WH_FAMILY_NEW_ARRAY] = {0, 0, WH_FAMILY_NEW_ARRAY, 0},
    };
    release_as(pointer, &plain[family], frame);
}

#endif
