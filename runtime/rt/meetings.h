/* Which calls at locks and threads are judged: those of checked code, also where it comes there
 * through the C++ library. */
#ifndef WHENCE_RT_MEETINGS_H
#define WHENCE_RT_MEETINGS_H

#include "lives.h"
#include "../events/events.h"

/* `is_checked`: checked code made the call itself. */
int judged_is(const struct frame *frame, int is_checked);
int judged_stack(uint32_t stack);

/* The calling thread is about to wait for a lock that another one holds (whether it does so for
 * ever), or to join a thread. */
int circles_lock(const struct meeting *meeting);
void circles_join(const struct thread_parting *parting);

/* Adds where the thread with this number has locked an object, and where the thread was made. */
void meetings_tell_holder(struct earlier_steps *steps, uintptr_t object, int number);

/* At the start of the process. */
void meetings_begin(void);
/* The calling thread has its presence now. */
void judged_begin_thread(void);
/* Gives it back at the thread's end. */
void lives_leave(void);

extern const struct observer meetings_observer;

#endif
