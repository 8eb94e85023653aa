/* Answers from outside, such as the time: a first run keeps them, and a second one gets them again
 * (whence.abi.outside), in which only the first process of a run has part, not its children. Or
 * they are made up (made.h), also in children. */
#ifndef WHENCE_PROCESS_OUTSIDE_H
#define WHENCE_PROCESS_OUTSIDE_H

#include <stddef.h>
#include <stdint.h>
#include "../events/events.h"
#include "../os/mem.h"
#include "../port/port.h"
#include "whence_abi.h"

/* WH_OUTSIDE_NONE, _KEEP, _REPEAT or _MADE. */
extern int outside_mode;
#define OUTSIDE_KEPT WH_UNLIKELY(outside_mode == WH_OUTSIDE_KEEP)
#define OUTSIDE_REPEATED WH_UNLIKELY(outside_mode == WH_OUTSIDE_REPEAT)
#define OUTSIDE_MADE WH_UNLIKELY(outside_mode == WH_OUTSIDE_MADE)
/* The process has another number than the system gave it. */
#define OUTSIDE_NUMBERED (OUTSIDE_REPEATED || OUTSIDE_MADE)

/* WH_CALLS_NONE, _KEEP or _REPEAT: system calls of the C library are kept, or repeated
 * (../calls/calls.h), and need no such answers. */
extern int outside_calls;
/* Where answers stand then: among the calls. */
struct outside_calls_way {
    int (*again)(unsigned kind, void *to, size_t size, int64_t *result);
    void (*keep)(unsigned kind, const void *from, size_t size, int64_t result);
    int (*forked)(void); /* whether a child of fork goes on keeping them */
};
/* Begins so. mode: WH_OUTSIDE_KEEP or _REPEAT, which are WH_CALLS_KEEP and _REPEAT, too. */
void outside_begin_calls(int mode, const struct outside_calls_way *way);
/* Nesting depth; above 0, the calling thread's system calls belong to a function whose answer
 * stands for them. */
extern __thread unsigned outside_paused;
/* The number that the calling thread last passed to the function syscall. */
extern __thread uint32_t outside_number;

/* Begins, if the options say so. record: its path, beside which answers are; NULL: there is none.
 */
void outside_begin(const char *record);

/* A child of fork has a number of its own. */
extern const struct observer outside_observer;
/* It became one as the first run's did, whose number it has from now on. */
void outside_forked_again(void);

/* The process is the first of a path, and has the numbers that were made up. */
void outside_path(void);

/* The answer of this kind that the thread got the first time: at most `size` bytes at `to`, and the
 * result. 0 if there is none: then, and if the thread asked for another kind, it gets no more
 * answers again. */
int outside_again(unsigned kind, void *to, size_t size, int64_t *result);

/* Keeps an answer. */
void outside_keep(unsigned kind, const void *from, size_t size, int64_t result);

/* A pattern became a name: the one of the first run. */
void outside_named(char *name);

/* The number of this process: as it was the first time, or is made up, else its own. */
uint32_t outside_process(void);

/* The same of its parent, where answers are made up. */
uint32_t outside_parent(void);

#endif
