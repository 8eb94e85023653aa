/* The last use of a pointer: what its nodes are made of is known, and they are made when they are
 * asked for (whence.abi.origins.RECIPES). */
#ifndef WHENCE_ORIGINS_RECIPES_H
#define WHENCE_ORIGINS_RECIPES_H

#include <stdint.h>

struct use_nodes {
    uint32_t pointer, index; /* 0: none */
};

/* The nodes of the thread's last use. */
struct use_nodes use_nodes(void);

/* Makes them now: pointers that they are made of are no longer kept, so that a leak search does not
 * find them. */
void use_settle(void);

#endif
