/* Programs that forbid themselves system calls (seccomp): strict mode, and filters.
 *
 * The runtime makes no call that the kernel would not make: what it needs for findings is looked up
 * before, and what it cannot do from then on a note says. A filter of one thread holds for what the
 * runtime does in all.
 */
#ifndef WHENCE_PROCESS_CONFINE_H
#define WHENCE_PROCESS_CONFINE_H

#include <stdint.h>

enum confine_kind { CONFINE_NOT, CONFINE_STRICT, CONFINE_FILTER, CONFINE_UNREAD };

struct confinement {
    enum confine_kind kind;
    unsigned filter; /* its number */
    int has_listener;
};

/* Before and after a call of the program's of prctl or seccomp, by its number and arguments. */
struct confinement confine_begin(long number, const long *words);
void confine_end(struct confinement *confinement, long result);

/* Whether leaks can be searched; it needs many calls. */
int confine_leaves_search(void);

#endif
