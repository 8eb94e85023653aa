/* Pages that this process has never written. Searching them is useless, because they read as zeros
 * or as a file, and costly, because the kernel would build page tables for them. */
#ifndef WH_LEAK_UNTOUCHED_H
#define WH_LEAK_UNTOUCHED_H

#include <stdint.h>

#define UNTOUCHED_MOST 512u /* pages in one call */

/* Opens /proc/thread-self/pagemap. Without it every page counts as touched. */
void untouched_open(void);
void untouched_close(void);

/* Sets untouched[i] to 1 where page i from `begin` on contains nothing that the process wrote: it
 * is neither in memory nor swapped out, and not in the page cache, where other processes share it.
 */
void untouched_find(uintptr_t begin, unsigned pages, uint8_t *untouched);

#endif
