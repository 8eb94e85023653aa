/* The functions of the sanitizers' headers that do nothing and return 0. The runtime and the
 * library for programs that run without it (absent/) define them from this list. */
#ifndef WHENCE_INTERFACE_SANITIZER_H
#define WHENCE_INTERFACE_SANITIZER_H

#include <stddef.h>
#include <stdint.h>

/* Integers at any address. */
struct __attribute__((packed, may_alias)) unaligned16 {
    uint16_t value;
};
struct __attribute__((packed, may_alias)) unaligned32 {
    uint32_t value;
};
struct __attribute__((packed, may_alias)) unaligned64 {
    uint64_t value;
};

#define SANITIZER_NOTHING_TO_DO(X)                                                                 \
    X(__asan_addr_is_in_fake_stack)                                                                \
    X(__asan_get_current_fake_stack)                                                               \
    X(__asan_get_report_access_size)                                                               \
    X(__asan_get_report_access_type)                                                               \
    X(__asan_get_report_address)                                                                   \
    X(__asan_get_report_bp)                                                                        \
    X(__asan_get_report_description)                                                               \
    X(__asan_get_report_pc)                                                                        \
    X(__asan_get_report_sp)                                                                        \
    X(__asan_handle_no_return)                                                                     \
    X(__asan_print_accumulated_stats)                                                              \
    X(__asan_report_error)                                                                         \
    X(__asan_report_present)                                                                       \
    X(__asan_update_allocation_context)                                                            \
    X(__msan_finish_switch_fiber)                                                                  \
    X(__msan_has_dynamic_component)                                                                \
    X(__msan_set_death_callback)                                                                   \
    X(__msan_set_expect_umr)                                                                       \
    X(__msan_set_keep_going)                                                                       \
    X(__msan_start_switch_fiber)                                                                   \
    X(__msan_unpoison_param)                                                                       \
    X(__sanitizer_finish_switch_fiber)                                                             \
    X(__sanitizer_get_unmapped_bytes)                                                              \
    X(__sanitizer_print_memory_profile)                                                            \
    X(__sanitizer_purge_allocator)                                                                 \
    X(__sanitizer_sandbox_on_notify)                                                               \
    X(__sanitizer_set_report_fd)                                                                   \
    X(__sanitizer_set_report_path)                                                                 \
    X(__sanitizer_start_switch_fiber)

#endif
