/* Ranges of addresses that the program has described by a text, for reports about addresses in
 * them.
 */
#ifndef WHENCE_FINDINGS_DESCRIBED_H
#define WHENCE_FINDINGS_DESCRIBED_H

#include <stdint.h>

/* Of longer texts, the begin is kept. */
#define DESCRIPTION_MOST 104u

struct described {
    uintptr_t begin;
    uint64_t size;  /* 0: the entry is free */
    uint32_t stack; /* where it was described, in the depot */
    uint32_t length;
    char text[DESCRIPTION_MOST];
};

/* Describes a range, which is not empty; the text ends with a zero. A number for it, or -1: there
 * is no memory. */
int64_t described_add(uintptr_t begin, uint64_t size, const char *text, uint32_t stack);
/* 0 if no range has the number. */
int described_remove(uint64_t number);

/* The smallest range with an address; of several, the one with the lowest number. Its size is 0 if
 * there is none. */
struct described described_at(uintptr_t address);

/* Around fork. */
void described_lock(void);
void described_unlock(void);

#endif
