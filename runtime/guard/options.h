/* Options of blocks (Redzal, section 4), and a function for breakpoints. */
#ifndef WHENCE_GUARD_OPTIONS_H
#define WHENCE_GUARD_OPTIONS_H

#include "guard.h"

/* Protects a block's pages as its options say; 0 if the system refuses. */
int options_protect(struct block place);

/* The program is about to map something over whole pages of the heap: live blocks there stay open,
 * and are never packed again. */
void options_claim(uintptr_t begin, uintptr_t end);

/* Open all blocks for a system call, and close them again: those that the program has closed, that
 * are closed while they live, or that are packed. */
void options_open_all(void);
void options_close_all(void);
/* Whether a system call may have failed because a block is closed. */
int options_may_be_closed(void);

/* The same for a leak search, which reads all of memory. Packed blocks stay packed: the search
 * reads their packed bytes (pager_bytes), or an access unpacks them. The first function is called
 * before the other threads are stopped, the second after that, although some may not have stopped.
 */
void options_await_search(void);
void options_open_for_search(int all_stand);
void options_close_after_search(void);

#endif
