/* Which labels bytes of memory have. */
#ifndef WHENCE_LABELS_PLANE_H
#define WHENCE_LABELS_PLANE_H

#include <stddef.h>
#include <stdint.h>

/* Reserves the plane. 0, or -errno and the range that could not be reserved. */
long labels_init(uintptr_t *begin, size_t *size);

/* The labels of the bytes together, as far as they still hold the value that had them. */
uint8_t labels_load(uintptr_t at, uint64_t size);
/* The bytes, as they are now, have these labels, which were born there (born.h). */
void labels_store(uintptr_t at, uint64_t size, uint8_t labels, uint16_t birth);
/* They have these, too, or no more. */
void labels_add(uintptr_t at, uint64_t size, uint8_t labels, uint16_t birth);
void labels_drop(uintptr_t at, uint64_t size, uint8_t labels);
/* Bytes will be at `to` what they are at `from`. */
void labels_copy(uintptr_t to, uintptr_t from, uint64_t size);
void labels_clear(uintptr_t at, uint64_t size);

#endif
