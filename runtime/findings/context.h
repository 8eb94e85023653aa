/* An event at a detection point, with what the rules need not know of it. */
#ifndef WHENCE_FINDINGS_CONTEXT_H
#define WHENCE_FINDINGS_CONTEXT_H

#include "../process/thread.h"
#include "../port/port.h"

/* An event and what the rules need not know of it. Evaluators get a pointer to
 * the first member and hand it back to __whence_fire. */
struct context {
    struct whence_event event;
    const struct frame *frame; /* where the program stood: its return address comes first */
    struct walk trap;          /* instead of that: the registers at a trap */
    const char *library;       /* the library function that made the access, or NULL */
    uint64_t bad;              /* first byte of the access that is not addressable, or 0 */
    uint64_t beyond; /* bytes of the access behind the end of all addresses: not in its width */
    uint32_t flags;  /* WH_FLAG_* */
    uint32_t signal;
    uint64_t findings;   /* made so far */
    uintptr_t stack_low; /* the program uses its stack from here up; 0: from where we are */
    uint64_t told;       /* blocks that a leak check tells of for the first time */
    int collect;         /* findings with a witness are gathered by allocation stack */
    uint32_t check;      /* WH_CHECK_*: this is a leak check; nothing is stopped */
    uint64_t pc;         /* where a signal interrupted this thread, or 0 */
};

#endif
