/* The border to generated code that follows where values come from (whence.abi.origins). */
#ifndef WHENCE_ORIGINS_H
#define WHENCE_ORIGINS_H

#include <stdint.h>
#include "whence_abi.h"

/* What a call passes, and the last use of a pointer: generated code reads and writes it. */
struct origins_passed {
    struct whence_origin_passed passed;
    uint64_t arguments[WHENCE_ORIGIN_ARGUMENTS];
    struct whence_origin_lately lately[1u << WH_ORIGIN_LATELY_BITS];
};
extern __thread struct origins_passed __whence_origins;

/* The node of a value at a site, of a value that another node describes. */
uint32_t __whence_origin_make(struct whence_origin_site *site, uint32_t parent);
/* The node of a number that is put together of two parts: at `moved` if they come from one value,
 * or from neighbouring bytes of an input, else born at `born`. */
uint32_t __whence_origin_join(struct whence_origin_site *moved, struct whence_origin_site *born,
                              uint32_t one, uint32_t other);
/* A store of `size` bytes. */
void __whence_origin_keep(uint64_t address, uint64_t size, uint64_t value, uint32_t node);
/* The cells do not say where a loaded value comes from, or another thread stored it. */
uint32_t __whence_origin_lost(struct whence_origin_site *site, uint64_t address, uint64_t size,
                              uint64_t value);
/* A bit-field's unit was stored at an address: of its value, up to eight bytes, the bits of a mask
 * are the field's. */
void __whence_origin_keep_field(uint64_t address, uint64_t mask, uint64_t unit, uint32_t node);
/* The node of a bit-field, whose unit was loaded. */
uint32_t __whence_origin_field(struct whence_origin_site *site, uint64_t address, uint64_t mask,
                               uint64_t unit);
/* A call has given bytes their values; a negative size is that of a call that failed. */
void __whence_origin_set(struct whence_origin_site *site, uint64_t to, uint64_t size);
void __whence_origin_filled(struct whence_origin_site *site, uint64_t to, uint64_t size,
                            uint32_t node);
void __whence_origin_zeroed(struct whence_origin_site *site, uint64_t to, uint64_t count,
                            uint64_t each);
/* A call has copied bytes. */
void __whence_origin_copy(struct whence_origin_site *site, uint64_t to, uint64_t from,
                          uint64_t size);
/* A call has copied a text: what, by the form, WH_COPY_*; at most so many bytes. */
void __whence_origin_copied(struct whence_origin_site *site, uint64_t to, uint64_t from,
                            uint64_t most, uint64_t form);
/* A call at this site, by which bytes may be written, is about to be made, or was made. `writing`:
 * the field of whence_origin_passed as the call has left it. */
void __whence_origin_filling(struct whence_origin_site *site, uint64_t to, uint64_t size);
void __whence_origin_written(struct whence_origin_site *site, uint64_t writing);
/* A function with variable arguments keeps their words, of which the first has this number; has
 * begun a list of them; and ends. */
struct origins_listed {
    struct whence_listed listed;
    uint64_t words[WHENCE_ORIGIN_LISTED];
};
void __whence_origin_listing(struct origins_listed *kept, uint64_t function, uint64_t first);
void __whence_origin_listed(struct origins_listed *kept, uint64_t list);
void __whence_origin_unlisted(struct origins_listed *kept);
/* A call is about to pass a struct by value, a copy of what is at `from`. */
void __whence_origin_by_value(struct whence_origin_site *site, uint64_t function, uint64_t index,
                              uint64_t from);
/* The called function has copied such an argument, which it found at `from`. */
void __whence_origin_received(struct whence_origin_site *site, uint64_t function, uint64_t index,
                              uint64_t to, uint64_t from, uint64_t size);
/* An array is about to be sorted, and was. */
struct elements;
struct elements *__whence_origin_sorting(struct whence_origin_site *site, uint64_t base,
                                         uint64_t count, uint64_t size);
void __whence_origin_sorted(struct whence_origin_site *site, uint64_t base, uint64_t count,
                            uint64_t size, struct elements *kept);
/* A site, or none, has computed a pointer that is kept by an index. said: how many operands of the
 * index follow, each with its value and its node, and from bit WH_RECIPE_SIGNS_SHIFT on which of
 * them have a sign. */
void __whence_origin_indexed(struct whence_origin_site *site, uint64_t pointer, uint64_t value,
                             uint32_t node, uint32_t said, ...);
/* A site has computed a number that is kept. exact, upper: the result in 128 bits, of which the
 * number has so many `bits`; 0: that is not known. said: as above. */
void __whence_origin_computed(struct whence_origin_site *site, uint64_t value, uint64_t exact,
                              uint64_t upper, uint32_t bits, uint32_t said, ...);
/* A pointer is about to be freed. */
void __whence_origin_freed(uint32_t node, uint64_t pointer);
/* A pointer to the heap is about to be overwritten by a value with this node. */
void __whence_origin_over(uint64_t address, uint64_t value, uint32_t node);
/* A variable loses its value. */
void __whence_origin_lose(struct whence_origin_site *site, uint64_t value, uint32_t node);
/* Memory of a variable is about to be used for something else. */
void __whence_origin_gone(struct whence_origin_site *site, uint64_t begin, uint64_t size);
/* Memory of a variable begins to serve it, or has ceased to. */
void __whence_origin_fresh(uint64_t begin, uint64_t size);
/* A block is about to be freed. */
void __whence_origin_freeing(struct whence_origin_site *site, uint64_t pointer);
/* The node of a value of so many bytes that has no cell: `born`, or another if it is undefined. */
uint32_t __whence_origin_narrow(struct whence_origin_site *site, uint64_t address, uint64_t size,
                                uint32_t born);
/* An argument has given a block its size: the role of `value`, WH_ROLE_SIZE or WH_ROLE_COUNT first,
 * and whether its type has a sign. */
void __whence_origin_sized(uint64_t begin, uint64_t role, uint64_t has_sign, uint64_t value,
                           uint32_t node);

#endif
