/* System calls of a program whose blocks are closed: the kernel would answer EFAULT.
 *
 * Syscall user dispatch (Linux 5.11) makes every system call of a thread trap that is not made by
 * this library. The handler opens the blocks that the arguments lead to (hold.h), makes the call,
 * and closes them. Calls that are about the signal frame itself are made on the frame: the mask,
 * the alternate stack, the return from a handler. Calls that make threads, or processes with a
 * stack of their own or in this memory, cannot return into the handler: the program makes them from
 * a place in this library (a site), with everything open until its next call if the child is about
 * to execute.
 */
#ifndef WHENCE_GUARD_DISPATCH_H
#define WHENCE_GUARD_DISPATCH_H

/* Catches the calls of this thread, and of those that begin later. 0: the kernel cannot. */
int dispatch_begin(void);
int dispatch_is_on(void);
/* For each thread that begins, and each child of fork. */
void dispatch_arm(void);
/* What was open for a child is closed again; a thread that was let through is caught again. */
void dispatch_resume(void);
/* A child of vfork is about to execute what lies in blocks, new ones included: none is closed. */
int dispatch_leaves_open(void);
/* This thread is about to make one that will be armed (1), or has done so (0). */
void dispatch_expect_thread(int expected);

#endif
