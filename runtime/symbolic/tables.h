/* Accesses through symbolic addresses. The object in which the address lies on this path is found,
 * and an access of a small object stays symbolic: a load is a choice among its elements. */
#ifndef WHENCE_SYMBOLIC_TABLES_H
#define WHENCE_SYMBOLIC_TABLES_H

#include <stdint.h>

/* An access: the address with its expression, the size, and the object that the code names; its
 * size is 0 where the code names none. */
struct reach {
    uint32_t address;
    uint64_t at, size;
    uint64_t root, extent;
    uint64_t pc;
};

/* The address of an access of a larger object is bound. */
#define REACH_MOST_BYTES 8192u

/* Says that there is such an access (WH_TRACED_*). */
void reach_say(const struct reach *reach, unsigned how);
/* The expression of what is loaded, `value`; 0 where the address is bound and nothing else varies.
 */
uint32_t reach_load(const struct reach *reach, uint64_t value);
/* Stores into each element what it then holds. 0 if the address has to be bound. */
int reach_store(const struct reach *reach, uint32_t expression, uint64_t value);

#endif
