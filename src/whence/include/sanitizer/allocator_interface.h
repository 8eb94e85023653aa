/* What the sanitizers tell of blocks, for compilers that come without the header. */
#ifndef WHENCE_SANITIZER_ALLOCATOR_INTERFACE_H
#define WHENCE_SANITIZER_ALLOCATOR_INTERFACE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a live block begins at the address, and its size in bytes. */
int __sanitizer_get_ownership(const volatile void *pointer);
size_t __sanitizer_get_allocated_size(const volatile void *pointer);
/* The begin of the live block that holds the address, or NULL. */
const void *__sanitizer_get_allocated_begin(const void *pointer);
/* Nothing comes of these. */
int __sanitizer_install_malloc_and_free_hooks(void (*made)(const volatile void *, size_t),
                                              void (*freed)(const volatile void *));
void __sanitizer_purge_allocator(void);

#ifdef __cplusplus
}
#endif

#endif
