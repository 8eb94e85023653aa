/* Options of blocks (Redzal, section 4), and a function to break at. */
#ifndef WHENCE_GUARD_OPTIONS_H
#define WHENCE_GUARD_OPTIONS_H

#include "guard.h"

/* Applies what the program wants of a block's pages; 0 if the system refuses. */
int options_protect(struct block_place place);

/* Blocks that the program has closed, or that stay closed while they live, opened for a search or
 * for the kernel, and closed again. */
void options_open_all(void);
void options_close_all(void);

#endif
