/* What a signal of the processor says about the program. */
#ifndef WHENCE_RT_FAULT_H
#define WHENCE_RT_FAULT_H

#include "../findings/context.h"

#include <signal.h>
#include <ucontext.h>

/* The program's state at a signal, for the stack of a finding. */
void fault_state(struct context *context, const ucontext_t *machine);

/* The main thread's stack was full and has more room now: the access can be repeated. Zones around
 * variables make frames larger, and the program may need a stack as deep as without them. */
int fault_grows_stack(int number, const siginfo_t *info, const ucontext_t *machine);

/* Makes the finding about a signal that is going to end the program. */
void fault_report(int number, const siginfo_t *info, const ucontext_t *machine);

/* Makes a finding about a fault that a handler of the program is going to take, if it is a mistake
 * in any case: checked code used an address where nothing is mapped. Handlers for pages that the
 * program itself has closed, and for the end of a stack, are how collectors, pagers and
 * interpreters work. */
void fault_report_handled(int number, const siginfo_t *info, const ucontext_t *machine);

#endif
