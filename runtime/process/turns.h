/* The turns of threads at what they share: locks, conditions, the heap. A first run keeps who had
 * which turn, and in a second one each thread waits for its own (whence.abi.outside). There are no
 * turns before the process makes its first thread. */
#ifndef WHENCE_PROCESS_TURNS_H
#define WHENCE_PROCESS_TURNS_H

#include <stdint.h>
#include "../os/mem.h"
#include "../os/os.h"
#include "whence_abi.h"

/* WH_OUTSIDE_NONE, _KEEP or _REPEAT. */
extern int turns_mode;
#define TURNS_TAKEN WH_UNLIKELY(turns_mode != WH_OUTSIDE_NONE && os_threaded)
#define TURNS_KEPT (turns_mode == WH_OUTSIDE_KEEP)

/* Begins with the turns of this program, which is the process's `program`th. */
void turns_begin(int mode, struct whence_outside_header *header, uint32_t program);

/* A child of fork has no part in it. */
void turns_forked(void);

/* Keeps a turn that the calling thread has just had. */
void turns_keep(unsigned kind, uint32_t result);

/* Whether the calling thread's next turn is of this kind. If it is of another, threads no longer
 * wait for turns. */
int turns_expect(unsigned kind);
/* Waits for the calling thread's next turn, which is of this kind, and says what came of it the
 * first time. 0 if there is none to wait for. Between this and `turns_end`, no other thread has a
 * turn. */
int turns_await(unsigned kind, uint32_t *result);
void turns_end(void);

/* Begins the calling thread's next turn if it is of this kind and may begin now. */
int turns_try(unsigned kind);
/* Ends it as if it had not begun. */
void turns_leave(void);

/* Waits until some other thread had a turn, or a while. 0: threads no longer wait for turns. */
int turns_pause(void);

/* Around a change of what threads share of the heap. */
void turns_begin_heap(void);
void turns_end_heap(void);
/* Around fork. */
void turns_lock(void);
void turns_unlock(void);

#endif
