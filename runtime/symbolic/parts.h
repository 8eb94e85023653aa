/* Parts of an object that a rule may be about: an access of it through a symbolic address may hit
 * them under another input of its path. */
#ifndef WHENCE_SYMBOLIC_PARTS_H
#define WHENCE_SYMBOLIC_PARTS_H

#include <stdint.h>
#include "../include/whence/rules.h"

/* Says which bytes of a live object the program has closed, and at a load (WH_TRACED_READ) which
 * were never written; of a large one nothing, because the address of its access is bound. The
 * number of parts. */
unsigned parts_say(struct whence_bounds object, unsigned how);

#endif
