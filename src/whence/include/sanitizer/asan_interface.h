/* AddressSanitizer's interface, for compilers that come without its header. */
#ifndef WHENCE_SANITIZER_ASAN_INTERFACE_H
#define WHENCE_SANITIZER_ASAN_INTERFACE_H

#include <sanitizer/common_interface_defs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Memory that may not be accessed until it is opened again. */
void __asan_poison_memory_region(const volatile void *begin, size_t size);
void __asan_unpoison_memory_region(const volatile void *begin, size_t size);
#define ASAN_POISON_MEMORY_REGION(begin, size) __asan_poison_memory_region((begin), (size))
#define ASAN_UNPOISON_MEMORY_REGION(begin, size) __asan_unpoison_memory_region((begin), (size))

/* Whether a byte may not be accessed; the first such byte of a range, or NULL. */
int __asan_address_is_poisoned(const volatile void *address);
void *__asan_region_is_poisoned(void *begin, size_t size);

/* What an address is: on standard error, and as "heap", "stack", "global", "heap-invalid" or
 * "unknown", with the name of the variable. */
void __asan_describe_address(void *address);
const char *__asan_locate_address(void *address, char *name, size_t name_size, void **begin,
                                  size_t *size);
/* Return addresses of the stack of its block's allocation or free; how many. */
size_t __asan_get_alloc_stack(void *address, void **trace, size_t size, int *thread);
size_t __asan_get_free_stack(void *address, void **trace, size_t size, int *thread);

/* The byte at (address >> scale) + offset tells of the address. */
void __asan_get_shadow_mapping(size_t *scale, size_t *offset);
/* A function that is called before a finding ends the program. */
void __asan_set_death_callback(void (*callback)(void));

/* Nothing comes of these: reports are whence's own, and stacks are the program's. */
int __asan_report_present(void);
void __asan_report_error(void *pc, void *bp, void *sp, void *address, int is_write, size_t size);
void *__asan_get_report_pc(void);
void *__asan_get_report_bp(void);
void *__asan_get_report_sp(void);
void *__asan_get_report_address(void);
int __asan_get_report_access_type(void);
size_t __asan_get_report_access_size(void);
const char *__asan_get_report_description(void);
void __asan_set_error_report_callback(void (*callback)(const char *report));
void __asan_print_accumulated_stats(void);
void __asan_handle_no_return(void);
void *__asan_get_current_fake_stack(void);
void *__asan_addr_is_in_fake_stack(void *stack, void *address, void **begin, void **end);
int __asan_update_allocation_context(void *address);
/* The program may define them. */
void __asan_on_error(void);
const char *__asan_default_options(void);

#ifdef __cplusplus
}
#endif

#endif
