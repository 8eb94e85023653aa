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
void __sanitizer_set_death_callback(void (*callback)(void));
void __sanitizer_print_stack_trace(void);
void __sanitizer_print_memory_profile(size_t percent, size_t contexts);

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

/* Nothing comes of these, either. */
void __sanitizer_start_switch_fiber(void **save, const void *bottom, size_t size);
void __sanitizer_finish_switch_fiber(void *save, const void **old_bottom, size_t *old_size);

#ifdef __cplusplus
}
#endif

#endif
