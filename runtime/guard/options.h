/* Options of blocks (Redzal, section 4), and a function to break at. */
#ifndef WHENCE_GUARD_OPTIONS_H
#define WHENCE_GUARD_OPTIONS_H

#include "guard.h"

/* Applies what the program wants of a block's pages; 0 if the system refuses. */
int options_protect(struct block place);

/* Blocks that the program has closed, that stay closed while they live, or that are packed: opened
 * for the kernel, and closed again. */
void options_open_all(void);
void options_close_all(void);
/* Whether a system call may have failed because of us. */
int options_may_be_closed(void);

/* The same for a search that reads all of memory: packed blocks stay so, and are read where they
 * are (pager_bytes) or brought when they are touched. The first is called before the other threads
 * are stopped, the second when they stand; some of them may not. */
void options_await_search(void);
void options_open_for_search(int all_stand);
void options_close_after_search(void);

#endif
