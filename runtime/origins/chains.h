/* Texts of chains, for records. */
#ifndef WHENCE_ORIGINS_CHAINS_H
#define WHENCE_ORIGINS_CHAINS_H

#include "../include/whence/rules.h"
#include "../os/text.h"

/* The longest text of an event's chains. */
#define CHAINS_ROOM (32u << 10)

/* Where the values of an event come from: a line "=role value" for each chain, then a line for each
 * hop, newest first: flags, tag of the thread, text and scope of the site. Behind "=role value"
 * stands the number of the chain, from 0 on, of which the value is an operand where that is
 * computed; a line
 * "~bits upper lower" behind the hops has the two words of the result that had more bits.
 * `library`: the library function that does the step, or NULL; `length`: the bytes that it
 * accesses, which an event may have cut off where the address space ends. is_call: the address was
 * called. */
void chains_describe(const struct whence_event *event, const struct whence_block *block,
                     const char *library, uint64_t length, int is_call, struct text *into);

/* The chain of the value that is at an address, in the same form. 0: no checked code has stored
 * there, 1: other code has written since, 2: there is one. *thread: the tag of this thread. */
int chains_of_memory(uintptr_t address, uint64_t size, uint64_t value, struct text *into,
                     uint32_t *thread);

/* The chain of a node, in the same form. */
void chains_of_node(uint32_t node, struct text *into);

#endif
