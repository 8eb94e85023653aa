/* Interception of system calls, which would fail with EFAULT on closed blocks.
 *
 * With syscall user dispatch (Linux 5.11) every system call of a thread traps, except those from
 * this library's code. The handler opens the blocks that the arguments lead to (hold.h), makes the
 * call, and closes them. Calls that change the thread's signal mask or alternate stack, or return
 * from a handler, are carried out on the handler's signal frame instead. Calls that create threads,
 * or processes with a stack of their own or in this memory, cannot return into the handler: the
 * program repeats them from a place in this library (a site). If the child is about to execute a
 * program, all blocks stay open until the parent's next call.
 */
#ifndef WHENCE_GUARD_DISPATCH_H
#define WHENCE_GUARD_DISPATCH_H

/* Intercepts the calls of this thread, and of threads that begin later. 0: the kernel cannot. */
int dispatch_begin(void);
int dispatch_is_on(void);
/* Must be called in each thread that begins, and in each child of fork. */
void dispatch_arm(void);
/* Closes the blocks that were open for a child, and intercepts the calls of this thread again. */
void dispatch_resume(void);
/* Whether blocks, new ones included, must stay open because a child of vfork reads them. */
int dispatch_leaves_open(void);
/* This thread is about to create a thread that calls dispatch_arm (1), or has created it (0). */
void dispatch_expect_thread(int expected);

#endif
