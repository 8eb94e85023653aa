/* A finding as text, for those who have no launcher that could name places. */
#ifndef WHENCE_PRELOAD_REPORT_H
#define WHENCE_PRELOAD_REPORT_H

#include <stdint.h>
#include "whence_abi.h"

struct report_stacks {
    const uint64_t *stack, *alloc, *free; /* as many as the head says, return addresses */
};

/* Writes it to standard error. `rule` and `function` (the library function that made the
 * access, may be empty) are of the given lengths. */
void preload_report(const struct wh_finding *head, const char *rule, struct report_stacks stacks,
                    const char *function, uint64_t function_length);

/* One line for each return address of a stack. */
void preload_put_frames(const uint64_t *pcs, unsigned count);

/* The program has trapped: time for a debugger. Whether one came. */
int preload_await_debugger(const char *rule, uint64_t seconds);

#endif
