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
ABSENT(__sanitizer_annotate_contiguous_container)
ABSENT(__sanitizer_annotate_double_ended_contiguous_container)
ABSENT(__sanitizer_contiguous_container_find_bad_address)
ABSENT(__sanitizer_get_allocated_begin)
ABSENT(__sanitizer_get_allocated_size)
ABSENT(__sanitizer_get_ownership)

int __sanitizer_verify_contiguous_container(void);
__attribute__((weak)) int __sanitizer_verify_contiguous_container(void) { return 1; }

const char *__asan_locate_address(void);
__attribute__((weak)) const char *__asan_locate_address(void) { return "unknown"; }
