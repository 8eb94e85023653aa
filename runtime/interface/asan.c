/* The functions of sanitizer/asan_interface.h that the state plane and the blocks can implement. */
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

WH_EXPORT void __asan_get_shadow_mapping(size_t *scale, size_t *offset);

/* The state plane has a byte for each granule, as AddressSanitizer's shadow memory has. */
void __asan_get_shadow_mapping(size_t *scale, size_t *offset) {
    if (scale) *scale = WH_GRANULE_SHIFT;
    if (offset) *offset = WH_STATE_OFFSET;
}

/* This may be the first call into the runtime: thread_here starts it. */
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
    block_read(block_nearest((uintptr_t)address), &block);
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
        text_put(&line, blocks_kind((uintptr_t)address) == WH_KIND_HEAP ? "in the heap, in no block"
                                                                        : "not in the heap");
    }
    if (poison_closed((uintptr_t)address, 1)) text_put(&line, ", closed by the program");
    text_complain(&line);
}

/* The name in a variable's text (whence.abi.zones); nothing for other blocks. */
static void put_name(struct text *line, const char *variable) {
    for (int tabs = 0; variable && *variable && tabs < 3; variable++) {
        if (*variable == '\t')
            tabs++;
        else if (tabs == 2)
            text_put_n(line, variable, 1);
    }
}

const char *__asan_locate_address(void *address, char *name, size_t name_size, void **begin,
                                  size_t *size) {
    static const char *const kinds[] = {
        [WH_KIND_ELSEWHERE] = "unknown",
        [WH_KIND_HEAP] = "heap",
        [WH_KIND_STACK] = "stack",
        [WH_KIND_GLOBAL] = "global",
    };
    struct whence_block block;
    thread_here();
    struct block nearest = block_nearest((uintptr_t)address);
    block_read(nearest, &block);
    struct text line = {name, name && name_size ? name_size - 1 : 0, 0};
    if (name && block.id) put_name(&line, block_text(nearest));
    if (name && name_size) name[line.length] = 0;
    if (!block.id)
        return blocks_kind((uintptr_t)address) == WH_KIND_HEAP ? "heap-invalid" : "unknown";
    if (begin) *begin = (void *)block.begin;
    if (size) *size = block.size;
    return kinds[block.kind];
}

static size_t stack_of(uintptr_t address, int of_free, void **trace, size_t size, int *thread) {
    thread_here();
    struct block block = block_nearest(address);
    if (!block_exists(block) || !size) return 0;
    if (of_free && block_is_live(block)) return 0;
    if (thread) *thread = (int)(of_free ? block_free_thread(block) : block_thread(block));
    unsigned most = size < WH_ALLOC_FRAMES ? (unsigned)size : WH_ALLOC_FRAMES;
    return depot_get(of_free ? block_free_stack(block) : block_alloc_stack(block),
                     (uint64_t *)trace, most);
}

size_t __asan_get_alloc_stack(void *address, void **trace, size_t size, int *thread) {
    return stack_of((uintptr_t)address, 0, trace, size, thread);
}

size_t __asan_get_free_stack(void *address, void **trace, size_t size, int *thread) {
    return stack_of((uintptr_t)address, 1, trace, size, thread);
}
