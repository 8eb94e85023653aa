/* What functions like sprintf have written to memory. */
#ifndef WHENCE_ORIGINS_PRINTING_H
#define WHENCE_ORIGINS_PRINTING_H

#include "nodes.h"

/* The site of the call of this function that checked code is in; NULL: it is in none. The sites
 * behind it are those of texts that it copies and of numbers that it makes into text. */
struct whence_origin_site *printing_call(const char *function);

/* Bytes are a copy of a text, as far as something is known of that. */
void printing_text(struct whence_origin_site *call, uintptr_t to, uintptr_t from, uint64_t size);

/* Bytes stand for the argument at an address, or are a copy of it. */
void printing_number(struct whence_origin_site *call, uintptr_t to, uint64_t size, uintptr_t value,
                     int is_copy);

#endif
