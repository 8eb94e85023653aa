/* Programs that call the sanitizers' interface are linked to this where no sanitizer is on: alone
 * they run as if nothing was wrong, and under `whence run` the runtime's functions come first. */
#include "../interface/sanitizer.h"

#define ABSENT(name)                                                                               \
    long name(void);                                                                               \
    __attribute__((weak)) long name(void) { return 0; }

SANITIZER_NOTHING_TO_DO(ABSENT)
ABSENT(__asan_address_is_poisoned)
ABSENT(__asan_describe_address)
ABSENT(__asan_get_alloc_stack)
ABSENT(__asan_get_free_stack)
ABSENT(__asan_poison_memory_region)
ABSENT(__asan_region_is_poisoned)
ABSENT(__asan_unpoison_memory_region)
ABSENT(__lsan_disable)
ABSENT(__lsan_do_leak_check)
ABSENT(__lsan_do_recoverable_leak_check)
ABSENT(__lsan_enable)
ABSENT(__lsan_ignore_object)
ABSENT(__lsan_register_root_region)
ABSENT(__lsan_unregister_root_region)
ABSENT(__msan_allocated_memory)
ABSENT(__msan_check_mem_is_initialized)
ABSENT(__msan_copy_shadow)
ABSENT(__msan_get_origin)
ABSENT(__msan_get_track_origins)
ABSENT(__msan_partial_poison)
ABSENT(__msan_poison)
ABSENT(__msan_print_shadow)
ABSENT(__msan_scoped_disable_interceptor_checks)
ABSENT(__msan_scoped_enable_interceptor_checks)
ABSENT(__msan_set_origin)
ABSENT(__msan_unpoison)
ABSENT(__msan_unpoison_string)
ABSENT(__sanitizer_annotate_contiguous_container)
ABSENT(__sanitizer_annotate_double_ended_contiguous_container)
ABSENT(__sanitizer_contiguous_container_find_bad_address)
ABSENT(__sanitizer_dtor_callback)
ABSENT(__asan_get_shadow_mapping)
ABSENT(__asan_set_death_callback)
ABSENT(__asan_set_error_report_callback)
ABSENT(__sanitizer_acquire_crash_state)
ABSENT(__sanitizer_double_ended_contiguous_container_find_bad_address)
ABSENT(__sanitizer_get_allocated_begin)
ABSENT(__sanitizer_get_allocated_size)
ABSENT(__sanitizer_get_allocated_size_fast)
ABSENT(__sanitizer_get_current_allocated_bytes)
ABSENT(__sanitizer_get_free_bytes)
ABSENT(__sanitizer_get_heap_size)
ABSENT(__sanitizer_get_module_and_offset_for_pc)
ABSENT(__sanitizer_get_ownership)
ABSENT(__sanitizer_install_malloc_and_free_hooks)
ABSENT(__sanitizer_print_stack_trace)
ABSENT(__sanitizer_set_death_callback)

#define TRUE(name)                                                                                 \
    int name(void);                                                                                \
    __attribute__((weak)) int name(void) { return 1; }

TRUE(__sanitizer_verify_contiguous_container)
TRUE(__sanitizer_verify_double_ended_contiguous_container)

size_t __sanitizer_get_estimated_allocated_size(size_t size);
__attribute__((weak)) size_t __sanitizer_get_estimated_allocated_size(size_t size) { return size; }

#define UNALIGNED(bits)                                                                            \
    uint##bits##_t __sanitizer_unaligned_load##bits(const void *from);                             \
    __attribute__((weak)) uint##bits##_t __sanitizer_unaligned_load##bits(const void *from) {      \
        return ((const struct unaligned##bits *)from)->value;                                      \
    }                                                                                              \
    void __sanitizer_unaligned_store##bits(void *to, uint##bits##_t value);                        \
    __attribute__((weak)) void __sanitizer_unaligned_store##bits(void *to, uint##bits##_t value) { \
        ((struct unaligned##bits *)to)->value = value;                                             \
    }

UNALIGNED(16)
UNALIGNED(32)
UNALIGNED(64)

long __msan_test_shadow(void);
__attribute__((weak)) long __msan_test_shadow(void) { return -1; }

int __msan_origin_is_descendant_or_same(unsigned number, unsigned before);
__attribute__((weak)) int __msan_origin_is_descendant_or_same(unsigned number, unsigned before) {
    return number == before;
}

const char *__asan_locate_address(void);
__attribute__((weak)) const char *__asan_locate_address(void) { return "unknown"; }
