/* Global variables that are still to be initialised. */
#ifndef WHENCE_RT_ORDER_H
#define WHENCE_RT_ORDER_H

#include <stdint.h>
#include "../include/whence/rules.h"
#include "../port/port.h"

/* Whether the address lies in a variable whose initialisation has not begun. */
int order_is_early(uintptr_t address);

/* Around fork. */
void order_lock(void);
void order_unlock(void);

#endif
