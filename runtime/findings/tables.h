/* The address ranges that the runtime's tables occupy, as a program meets them that maps or unmaps
 * memory at addresses of its own choice. The heap is not among them: pages of it can be the
 * program's (blocks/claims.h). */
#ifndef WHENCE_FINDINGS_TABLES_H
#define WHENCE_FINDINGS_TABLES_H

#include <stdint.h>

struct table {
    const char *name;
    uintptr_t begin, end;
    unsigned need; /* what has to be on for it to be there, see tables.c */
};

/* The lowest table that shares an address with [begin, begin + size); NULL: there is none. */
const struct table *tables_at(uintptr_t begin, uint64_t size);
/* Whether it shares an address with one that has nothing of the program's: with any but the
 * loader's memory, where blocks lie. */
int tables_hold_ours(uintptr_t begin, uintptr_t end);

/* Ends the process: the program replaces a table by memory of its own. */
_Noreturn void tables_refuse(const struct table *table, uintptr_t begin);
/* Tells the report that the program did not get the addresses that it asked for. */
void tables_kept(uintptr_t begin, uint64_t size);

#endif
