/* Ranges of addresses where the program wants no access to be reported. */
#ifndef WHENCE_RT_IGNORED_H
#define WHENCE_RT_IGNORED_H

#include <stdint.h>

/* 0: there is no such range. */
extern int ignored_any;

/* Accesses to [begin, begin+size) are not reported any more, or are again. */
void ignored_add(uintptr_t begin, uint64_t size);
void ignored_remove(uintptr_t begin, uint64_t size);

/* The end of the range that an address lies in; the address itself if it lies in none. */
uintptr_t ignored_end(uintptr_t address);

/* Around fork. */
void ignored_lock(void);
void ignored_unlock(void);

#endif
