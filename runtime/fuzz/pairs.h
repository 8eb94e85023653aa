/* What comparisons compare, and the places of an input where one side of them stands: there the
 * other side can be put. */
#ifndef WHENCE_FUZZ_PAIRS_H
#define WHENCE_FUZZ_PAIRS_H

#include <stddef.h>
#include <stdint.h>

/* Pairs are kept from now on, or no longer. */
void pairs_trace(int on);
/* Whether they are. */
int pairs_are_traced(void);
/* Two texts are compared. */
void pairs_texts(const void *first, size_t first_size, const void *second, size_t second_size);
/* The texts of the pair with this number: the first or the second one; NULL if it has none. */
const uint8_t *pairs_text(uint64_t number, unsigned which, size_t *size);
/* Finds all steps for the base. */
void pairs_find_steps(void);

#endif
