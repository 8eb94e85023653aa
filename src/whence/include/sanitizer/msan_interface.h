/* MemorySanitizer's interface, for compilers that come without its header. */
#ifndef WHENCE_SANITIZER_MSAN_INTERFACE_H
#define WHENCE_SANITIZER_MSAN_INTERFACE_H

#include <sanitizer/common_interface_defs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes are defined, or undefined from here on: they keep what they hold. */
void __msan_unpoison(const volatile void *begin, size_t size);
void __msan_unpoison_string(const volatile char *text);
void __msan_poison(const volatile void *begin, size_t size);
void __msan_allocated_memory(const volatile void *begin, size_t size);
void __sanitizer_dtor_callback(const volatile void *begin, size_t size);
/* Those bits are undefined that are set in the bytes at `bits`. */
void __msan_partial_poison(const volatile void *begin, void *bits, size_t size);
/* As if the bytes had been copied. */
void __msan_copy_shadow(const volatile void *to, const volatile void *from, size_t size);

/* The offset of the first byte with an undefined bit, or -1. */
intptr_t __msan_test_shadow(const volatile void *begin, size_t size);
/* Such a byte is a finding. */
void __msan_check_mem_is_initialized(const volatile void *begin, size_t size);
/* The undefined bits, on standard error. */
void __msan_print_shadow(const volatile void *begin, size_t size);

/* Where undefined bits come from, as a number; 0: they are not known, or none is undefined. */
uint32_t __msan_get_origin(const volatile void *address);
void __msan_set_origin(const volatile void *begin, size_t size, uint32_t origin);
int __msan_origin_is_descendant_or_same(uint32_t origin, uint32_t before);
/* Whether undefined values are followed. */
int __msan_get_track_origins(void);

/* Between the two, no library function reports undefined values in this thread. They nest. */
void __msan_scoped_disable_interceptor_checks(void);
void __msan_scoped_enable_interceptor_checks(void);

/* Nothing comes of these. */
void __msan_unpoison_param(size_t count);
void __msan_set_expect_umr(int expected);
void __msan_set_keep_going(int keep_going);
void __msan_set_death_callback(void (*callback)(void));
int __msan_has_dynamic_component(void);
void __msan_start_switch_fiber(const void *bottom, size_t size);
void __msan_finish_switch_fiber(const void **old_bottom, size_t *old_size);
/* The program may define it. */
const char *__msan_default_options(void);

#ifdef __cplusplus
}
#endif

#endif
