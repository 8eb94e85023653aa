/* Deaths: for each heap block, where a pointer to it was lost last (whence.abi.origins). */
#ifndef WHENCE_ORIGINS_DEATHS_H
#define WHENCE_ORIGINS_DEATHS_H

#include <stddef.h>
#include <stdint.h>
#include "../blocks/block.h"
#include "../include/whence/origins.h"

struct death {
    const struct whence_origin_site *site; /* what lost the pointer */
    uint64_t id;                           /* of the block that it pointed to; 0: none yet */
    uint32_t node;                         /* of the pointer */
    uint32_t tag;                          /* of the thread */
    uint32_t holder; /* depot number of the stack that allocated the block where it lay; 0: none */
    uint32_t size;   /* of that block */
};

/* Reserves the room. 0, or -errno with the range. */
long deaths_init(uintptr_t *begin, size_t *size);

/* A pointer is lost that lay at `place`, 0: in a variable. Nothing happens if it points to no live
 * block of the heap. */
void death_note(const struct whence_origin_site *site, uint64_t pointer, uint32_t node,
                uintptr_t place);

/* Writes down what death_note has gathered. Called before there is a second thread, too. */
void deaths_settle(void);

/* The last death of a block; NULL if there was none. */
const struct death *death_of(struct block block);

#endif
