/* Stopping threads as a debugger does: from a process of its own that shares our memory. */
#ifndef WHENCE_OS_TRACE_H
#define WHENCE_OS_TRACE_H

#include <stddef.h>
#include <stdint.h>

/* Starts a process that shares memory, files and signal handlers' code with this
 * one, runs `run(argument)` on the stack that ends at `stack_end`, and exits.
 * Only os_helper_wait sees its end. Returns its id, or -errno. It uses the
 * caller's thread-local storage: the caller must only wait meanwhile. */
long os_helper_start(void (*run)(void *), void *argument, uintptr_t stack_end);
void os_helper_wait(long helper);
int os_helper_ended(long helper);
/* Called by the helper: it is killed when the thread that started it ends, of process `parent`. 0
 * if that has happened before. */
int os_helper_bind(uint32_t parent);
/* Lets the helper trace us where the system restricts that to ancestors; 0: nobody. */
void os_helper_allow(long helper);
#define OS_ANYBODY (-1) /* for os_helper_allow */

/* What a stopped thread had in its registers. */
struct os_registers {
    uint64_t general[27]; /* struct user_regs_struct */
    uint64_t vector[64];  /* struct user_fpregs_struct */
};
uint64_t os_registers_pc(const struct os_registers *registers);
uint64_t os_registers_sp(const struct os_registers *registers);
uint64_t os_registers_tls(const struct os_registers *registers); /* thread pointer */

/* Called by the helper, for each thread. 0 or -errno. */
long os_trace_stop(uint32_t thread);
/* Whether it stands: 1, 0 (not yet), or -errno if it is gone. *signal is what
 * must be handed back when it goes on. */
long os_trace_stands(uint32_t thread, int *signal);
long os_trace_registers(uint32_t thread, struct os_registers *registers);
void os_trace_go(uint32_t thread, int signal);

/* Whether a debugger, or the like, traces this process (/proc/self/status). */
int os_traced(void);

#endif
