/* Which calls at locks and threads are judged: those of checked code, also where it comes there
 * through the C++ library. */
#ifndef WHENCE_RT_MEETINGS_H
#define WHENCE_RT_MEETINGS_H

#include "lives.h"

/* `is_checked`: checked code made the call itself. */
int judged_is(const struct frame *frame, int is_checked);
int judged_stack(uint32_t stack);

/* At the start of the process. */
void meetings_begin(void);
/* The calling thread has its presence now. */
void judged_begin_thread(void);
/* Gives it back at the thread's end. */
void lives_leave(void);

extern const struct observer meetings_observer;

#endif
