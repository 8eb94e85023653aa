/* What the kernel answers the C library's system calls: a first run keeps it in a file beside the
 * record (whence.abi.calls), and a second one, in a cage, is given it again, so that it changes
 * nothing and still goes the same way. The first process of a run has part in it, and each child of
 * fork, with a file of its own that begins with what its parent did.
 *
 * Answers are taken behind the calls, which stay where they are, so that nothing changes for
 * whoever waits in one, is interrupted or cancelled there. Calls of other code are not kept. */
#ifndef WHENCE_CALLS_CALLS_H
#define WHENCE_CALLS_CALLS_H

#include <stddef.h>
#include <stdint.h>
#include "../os/mem.h"
#include "../process/outside.h"
#include "whence_abi.h"

#define CALLS_KEPT WH_UNLIKELY(outside_calls == WH_CALLS_KEEP)
#define CALLS_REPEATED WH_UNLIKELY(outside_calls == WH_CALLS_REPEAT)

/* Begins, if the options say so. record: its path; NULL: there is none. */
void calls_begin(const char *record);

/* There is a finding: the file gets what was kept. */
void calls_write(void);

/* ---- the file ---- */

/* Where in the C library the code behind a call is; 0: it is not there, or not kept. */
uint32_t calls_site(uintptr_t address);

/* Room for a call of the calling thread, with `outputs` bytes behind it; NULL: it needs none, or is
 * not kept. */
struct whence_call *calls_room(unsigned number, uint32_t site, int64_t result, size_t outputs);
/* It is complete. */
void calls_done(struct whence_call *call);

/* The calling thread's next call, which the first run made at this place; NULL if it made another
 * one: then, this thread's calls are no longer repeated. */
const struct whence_call *calls_again(unsigned number, uint32_t site);

/* The answer of a function that stands for its calls (WH_CALLS_FORK and its like); events: of the
 * heap meanwhile, by which moments are told. */
struct calls_answer {
    int64_t result;
    uint64_t events;
};
void calls_keep_answer(unsigned number, const struct calls_answer *answer);
/* The one of the first run; 0: there is none. */
int calls_answer_again(unsigned number, struct calls_answer *answer);

/* ---- outputs ---- */

/* The bytes that a call puts into memory, in an order that depends on nothing else. */
typedef void calls_output(uintptr_t at, size_t size, void *argument);

/* Whether the answers to a call are kept, whose number is less than CALLS_MOST. */
#define CALLS_MOST 512u
int calls_are_kept(unsigned number);
/* Each output of a call that did not fail. `words`: its arguments. */
void calls_outputs(unsigned number, const uint64_t *words, int64_t result, calls_output *output,
                   void *argument);
/* Whether a call usually does all that its third argument says. */
int calls_does_all(unsigned number);
/* Whether a call makes a descriptor of what a path or connection leads to. */
int calls_opens(unsigned number);

/* Identifies the file behind a descriptor, so that it can be known again. */
struct calls_identity {
    uint64_t device, file, size, changed, mode;
};
int calls_identify(int descriptor, struct calls_identity *identity);

/* ---- sites ---- */

/* Leads all calls of the C library whose answers are kept to `calls_behind`. 0: it cannot. */
int calls_take_sites(void);
/* Finds the C library, without changing it. */
int calls_find_library(void);
/* The C library's own looks at the clock are kept, and repeated, too, which are no system calls:
 * answers hold numbers that it took from there. Without a clock that can be taken, they are not. */
void calls_take_clock(void);
/* A call has returned: its site, and its registers. */
struct calls_registers {
    uint64_t r10, r9, r8, rdi, rsi, rdx, rax;
};
void calls_behind(const struct calls_registers *registers, uint64_t site);

#endif
