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
size_t __sanitizer_get_allocated_size_fast(const volatile void *pointer);
/* Bytes of all live blocks; of freed ones that are not used again yet; of both. */
size_t __sanitizer_get_current_allocated_bytes(void);
size_t __sanitizer_get_free_bytes(void);
size_t __sanitizer_get_heap_size(void);
size_t __sanitizer_get_estimated_allocated_size(size_t size);
/* The begin of the live block that holds the address, or NULL. */
const void *__sanitizer_get_allocated_begin(const void *pointer);
/* Functions to call after a block is made, and before one is freed: the number of the pair, 0 if there
 * are five already. A program may define the two below in their place. */
int __sanitizer_install_malloc_and_free_hooks(void (*made)(const volatile void *, size_t),
                                              void (*freed)(const volatile void *));
void __sanitizer_malloc_hook(const volatile void *begin, size_t size);
void __sanitizer_free_hook(const volatile void *begin);
/* Nothing comes of these. */
void __sanitizer_purge_allocator(void);
size_t __sanitizer_get_unmapped_bytes(void);

#ifdef __cplusplus
}
#endif

#endif
