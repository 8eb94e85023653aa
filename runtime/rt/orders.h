/* In which orders threads take locks while they hold others. */
#ifndef WHENCE_RT_ORDERS_H
#define WHENCE_RT_ORDERS_H

#include "../events/events.h"

/* The calling thread is about to wait for a lock; or for the mutex of a condition variable, which
 * it releases meanwhile. */
void orders_lock(const struct meeting *meeting);
void orders_wait(const struct meeting *meeting);
/* Another lock will be at this address, or none. */
void orders_renew(uintptr_t lock);

/* What a thread does in a function that is called once, nobody else does. Returns what
 * orders_leave_once gets. */
uintptr_t orders_enter_once(const void *frame);
void orders_leave_once(uintptr_t before);

extern const struct observer orders_observer;

#endif
