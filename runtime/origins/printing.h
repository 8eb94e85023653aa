/* What functions that make or move texts have written to memory, as sprintf and std::string. */
#ifndef WHENCE_ORIGINS_PRINTING_H
#define WHENCE_ORIGINS_PRINTING_H

#include "nodes.h"
#include "written.h"

/* Behind the site of a call of such a function (written_call) are those of texts that it copies, of
 * numbers that it makes into texts, or of these, and of what comes from outside. */
static inline struct whence_origin_site *printing_copy(struct whence_origin_site *call) {
    return call + 1;
}
static inline struct whence_origin_site *printing_made(struct whence_origin_site *call) {
    return call + 2;
}
static inline struct whence_origin_site *printing_input(struct whence_origin_site *call) {
    return call + 3;
}

/* Bytes are a copy of a text, as far as something is known of that. */
void printing_text(struct whence_origin_site *call, uintptr_t to, uintptr_t from, uint64_t size);

/* The same at this site. */
void printing_copies(struct whence_origin_site *site, uintptr_t to, uintptr_t from, uint64_t size);

/* Bytes stand for the argument at an address, or are a copy of it. */
void printing_number(struct whence_origin_site *call, uintptr_t to, uint64_t size, uintptr_t value,
                     int is_copy);

/* The same, of the argument of a function that has no list, if its value is still the same. */
void printing_argument(struct whence_origin_site *call, uintptr_t to, uint64_t size, unsigned index,
                       uint64_t value, int is_copy);

/* The node of a byte of a text, which a function returns; the site behind that of its call tells
 * so. */
uint32_t printing_byte(struct whence_origin_site *call, uintptr_t from, uint8_t byte);

#endif
