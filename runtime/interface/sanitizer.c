/* The functions of sanitizer/allocator_interface.h, of sanitizer/common_interface_defs.h but for
 * containers, and those of all headers that do nothing here. */
#include "sanitizer.h"
#include "../findings/finding.h"
#include "../os/mem.h"
#include "../os/text.h"
#include "../process/thread.h"
#include "../replace/hooks.h"
#include "../rt/access.h"

#include <dlfcn.h>

#define NOTHING(name)                                                                              \
    WH_EXPORT long name(void);                                                                     \
    long name(void) { return 0; }

SANITIZER_NOTHING_TO_DO(NOTHING)

WH_EXPORT int __sanitizer_get_ownership(const volatile void *pointer);
WH_EXPORT size_t __sanitizer_get_allocated_size(const volatile void *pointer);
WH_EXPORT size_t __sanitizer_get_allocated_size_fast(const volatile void *pointer);
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

size_t __sanitizer_get_allocated_size_fast(const volatile void *pointer) {
    return __sanitizer_get_allocated_size(pointer);
}

/* ---- the heap as a whole ---- */

WH_EXPORT size_t __sanitizer_get_current_allocated_bytes(void);
WH_EXPORT size_t __sanitizer_get_free_bytes(void);
WH_EXPORT size_t __sanitizer_get_heap_size(void);
WH_EXPORT size_t __sanitizer_get_estimated_allocated_size(size_t size);

size_t __sanitizer_get_current_allocated_bytes(void) {
    uint64_t cursor = 0, sum = 0;
    for (struct block block; block_exists(block = block_next(&cursor, WH_BLOCK_LIVE));)
        if (block_kind(block) == WH_KIND_HEAP) sum += block_size(block);
    return sum;
}

/* Of freed blocks, those that no allocation may use yet. */
size_t __sanitizer_get_free_bytes(void) { return heap_quarantined_bytes(); }

size_t __sanitizer_get_heap_size(void) {
    return __sanitizer_get_current_allocated_bytes() + heap_quarantined_bytes();
}

size_t __sanitizer_get_estimated_allocated_size(size_t size) { return size; }

WH_EXPORT int __sanitizer_install_malloc_and_free_hooks(hook_made made, hook_freed freed);

int __sanitizer_install_malloc_and_free_hooks(hook_made made, hook_freed freed) {
    thread_here();
    return hooks_add(made, freed);
}

/* ---- stacks and the end of the program ---- */

WH_EXPORT void __sanitizer_print_stack_trace(void);
WH_EXPORT int __sanitizer_get_module_and_offset_for_pc(void *pc, char *path, size_t size,
                                                       void **offset);
WH_EXPORT void __sanitizer_set_death_callback(void (*callback)(void));
WH_EXPORT void __asan_set_death_callback(void (*callback)(void));
WH_EXPORT void __asan_set_error_report_callback(void (*callback)(const char *report));
WH_EXPORT int __sanitizer_acquire_crash_state(void);

#define FRAMES_MOST 64

/* A line for each frame, with the place of the call in its file. */
static void print_frame(unsigned number, uint64_t pc) {
    Dl_info info = {0};
    int known = dladdr((void *)(pc - 1), &info) && info.dli_fname;
    TEXT(line, 512);
    text_put(&line, "    #");
    text_decimal(&line, number);
    text_put(&line, " ");
    text_hex(&line, pc);
    if (known && info.dli_sname) {
        text_put(&line, " in ");
        text_put(&line, info.dli_sname);
    }
    text_put(&line, " (");
    text_put(&line, known ? info.dli_fname : "no file");
    text_put(&line, "+");
    text_hex(&line, known ? pc - (uint64_t)info.dli_fbase : pc);
    text_put(&line, ")");
    text_complain(&line);
}

void __sanitizer_print_stack_trace(void) {
    const struct thread *thread = thread_here();
    uint64_t pcs[FRAMES_MOST], hash;
    unsigned count = unwind_frames(FRAME_HERE, &thread->stack, pcs, FRAMES_MOST, &hash, NULL);
    for (unsigned i = 0; i < count && !thread_is_start_code(pcs[i]); i++) print_frame(i, pcs[i]);
}

int __sanitizer_get_module_and_offset_for_pc(void *pc, char *path, size_t size, void **offset) {
    Dl_info info = {0};
    if (!dladdr(pc, &info) || !info.dli_fname) return 0;
    struct text text = {path, path && size ? size - 1 : 0, 0};
    text_put(&text, info.dli_fname);
    if (path && size) path[text.length] = 0;
    if (offset) *offset = (void *)((uintptr_t)pc - (uintptr_t)info.dli_fbase);
    return 1;
}

void __sanitizer_set_death_callback(void (*callback)(void)) { finding_death_callback = callback; }

void __asan_set_death_callback(void (*callback)(void)) { finding_death_callback = callback; }

void __asan_set_error_report_callback(void (*callback)(const char *)) {
    finding_report_callback = callback;
}

/* 1 for the first caller. */
int __sanitizer_acquire_crash_state(void) {
    static int taken;
    return !__atomic_exchange_n(&taken, 1, __ATOMIC_RELAXED);
}

/* ---- integers at any address ---- */

#define UNALIGNED(bits)                                                                            \
    WH_EXPORT uint##bits##_t __sanitizer_unaligned_load##bits(const void *from);                   \
    WH_EXPORT void __sanitizer_unaligned_store##bits(void *to, uint##bits##_t value);              \
    uint##bits##_t __sanitizer_unaligned_load##bits(const void *from) {                            \
        access_check((uintptr_t)from, bits / 8, (uintptr_t)from, 0, NULL, FRAME_HERE);             \
        return ((const struct unaligned##bits *)from)->value;                                      \
    }                                                                                              \
    void __sanitizer_unaligned_store##bits(void *to, uint##bits##_t value) {                       \
        access_check((uintptr_t)to, bits / 8, (uintptr_t)to, 1, NULL, FRAME_HERE);                 \
        ((struct unaligned##bits *)to)->value = value;                                             \
    }

UNALIGNED(16)
UNALIGNED(32)
UNALIGNED(64)
