/* What the sanitizers' interfaces have in common, for compilers that come without the header. */
#ifndef WHENCE_SANITIZER_COMMON_INTERFACE_DEFS_H
#define WHENCE_SANITIZER_COMMON_INTERFACE_DEFS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Nothing comes of these: reports are whence's own. */
void __sanitizer_set_report_path(const char *path);
void __sanitizer_set_report_fd(void *descriptor);
void __sanitizer_print_memory_profile(size_t percent, size_t contexts);

typedef struct {
    int coverage_sandboxed;
    intptr_t coverage_fd;
    unsigned int coverage_max_block_size;
} __sanitizer_sandbox_arguments;
void __sanitizer_sandbox_on_notify(__sanitizer_sandbox_arguments *arguments);

/* A function that is called before a finding ends the program. */
void __sanitizer_set_death_callback(void (*callback)(void));
/* The calls that lead here, on standard error: addresses, and places in their files. */
void __sanitizer_print_stack_trace(void);
/* The file with the code at an address, and the place in it; 0 if there is none. */
int __sanitizer_get_module_and_offset_for_pc(void *pc, char *path, size_t size, void **offset);
/* 1 for the first caller, 0 for all others. */
int __sanitizer_acquire_crash_state(void);
#define __sanitizer_return_address() __builtin_extract_return_addr(__builtin_return_address(0))

/* Integers at any address. */
uint16_t __sanitizer_unaligned_load16(const void *from);
uint32_t __sanitizer_unaligned_load32(const void *from);
uint64_t __sanitizer_unaligned_load64(const void *from);
void __sanitizer_unaligned_store16(void *to, uint16_t value);
void __sanitizer_unaligned_store32(void *to, uint32_t value);
void __sanitizer_unaligned_store64(void *to, uint64_t value);

/* The part of a container's memory that holds elements; the rest may not be accessed. */
void __sanitizer_annotate_contiguous_container(const void *begin, const void *end,
                                               const void *old_middle, const void *new_middle);
void __sanitizer_annotate_double_ended_contiguous_container(const void *begin, const void *end,
                                                            const void *old_first,
                                                            const void *old_last,
                                                            const void *new_first,
                                                            const void *new_last);
const void *__sanitizer_contiguous_container_find_bad_address(const void *begin, const void *middle,
                                                              const void *end);
int __sanitizer_verify_contiguous_container(const void *begin, const void *middle, const void *end);
const void *__sanitizer_double_ended_contiguous_container_find_bad_address(const void *begin,
                                                                           const void *first,
                                                                           const void *last,
                                                                           const void *end);
int __sanitizer_verify_double_ended_contiguous_container(const void *begin, const void *first,
                                                         const void *last, const void *end);

/* Nothing comes of these, either. */
void __sanitizer_start_switch_fiber(void **save, const void *bottom, size_t size);
void __sanitizer_finish_switch_fiber(void *save, const void **old_bottom, size_t *old_size);

#ifdef __cplusplus
}
#endif

#endif
