/* sanitizer/asan_interface.h, as far as our planes can answer. */
#include "poison.h"
#include "../os/mem.h"
#include "../os/text.h"
#include "../rt/access.h"

WH_EXPORT void __asan_poison_memory_region(const volatile void *begin, size_t size);
WH_EXPORT void __asan_unpoison_memory_region(const volatile void *begin, size_t size);
WH_EXPORT int __asan_address_is_poisoned(const volatile void *address);
WH_EXPORT void *__asan_region_is_poisoned(void *begin, size_t size);
WH_EXPORT void __asan_describe_address(void *address);
WH_EXPORT const char *__asan_locate_address(void *address, char *name, size_t name_size,
                                            void **begin, size_t *size);
WH_EXPORT size_t __asan_get_alloc_stack(void *address, void **trace, size_t size, int *thread);
WH_EXPORT size_t __asan_get_free_stack(void *address, void **trace, size_t size, int *thread);

/* The program may call before the runtime is needed for anything else. */
void __asan_poison_memory_region(const volatile void *begin, size_t size) {
    thread_here();
    poison_close((uintptr_t)begin, size);
}

void __asan_unpoison_memory_region(const volatile void *begin, size_t size) {
    thread_here();
    poison_open((uintptr_t)begin, size);
}

int __asan_address_is_poisoned(const volatile void *address) {
    thread_here();
    return !access_clean((uintptr_t)address, 1);
}

void *__asan_region_is_poisoned(void *begin, size_t size) {
    thread_here();
    return (void *)poison_first_bad((uintptr_t)begin, size);
}

/* ---- what an address is ---- */

static void put_offset(struct text *line, uintptr_t address, const struct whence_block *block) {
    uintptr_t end = block->begin + block->size;
    text_decimal(line, address < block->begin ? block->begin - address
                       : address < end        ? address - block->begin
                                              : address - end);
    text_put(line, address < block->begin ? " bytes before"
                   : address < end        ? " bytes inside"
                                          : " bytes after");
}

void __asan_describe_address(void *address) {
    struct whence_block block;
    thread_here();
    blocks_read(blocks_nearest((uintptr_t)address), &block);
    TEXT(line, 256);
    text_hex(&line, (uintptr_t)address);
    text_put(&line, " is ");
    if (block.id) {
        put_offset(&line, (uintptr_t)address, &block);
        text_put(&line, block.state == WH_BLOCK_LIVE ? " a live block of " : " a freed block of ");
        text_decimal(&line, block.size);
        text_put(&line, " bytes at ");
        text_hex(&line, block.begin);
    } else {
        text_put(&line, heap_contains((uintptr_t)address) ? "in the heap, in no block"
                                                          : "not in the heap");
    }
    if (poison_closed((uintptr_t)address, 1)) text_put(&line, ", closed by the program");
    text_complain(&line);
}

const char *__asan_locate_address(void *address, char *name, size_t name_size, void **begin,
                                  size_t *size) {
    struct whence_block block;
    thread_here();
    blocks_read(blocks_nearest((uintptr_t)address), &block);
    if (name && name_size) *name = 0; /* only variables have names */
    if (!block.id) return heap_contains((uintptr_t)address) ? "heap-invalid" : "unknown";
    if (begin) *begin = (void *)block.begin;
    if (size) *size = block.size;
    return "heap";
}

static size_t stack_of(uintptr_t address, int of_free, void **trace, size_t size, int *thread) {
    thread_here();
    struct block_place place = blocks_nearest(address);
    if (!place.index || !size) return 0;
    const struct block_record *record = block_record(place.shift, place.index);
    if (of_free && record->state == WH_BLOCK_LIVE) return 0;
    if (thread) *thread = (int)((of_free ? record->died : record->born) >> BLOCK_ID_BITS);
    unsigned most = size < WH_ALLOC_FRAMES ? (unsigned)size : WH_ALLOC_FRAMES;
    return depot_get(of_free ? record->free_stack : record->alloc_stack, (uint64_t *)trace, most);
}

size_t __asan_get_alloc_stack(void *address, void **trace, size_t size, int *thread) {
    return stack_of((uintptr_t)address, 0, trace, size, thread);
}

size_t __asan_get_free_stack(void *address, void **trace, size_t size, int *thread) {
    return stack_of((uintptr_t)address, 1, trace, size, thread);
}
