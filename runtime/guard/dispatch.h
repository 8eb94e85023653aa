/* System calls of a program whose blocks are closed: the kernel would answer EFAULT.
 *
 * Syscall user dispatch (Linux 5.11) makes every system call of a thread trap that is not made by
 * this library. The handler opens the blocks that the arguments lead to, makes the call, and
 * closes them. Calls that are about the signal frame itself are made on the frame: the mask, the
 * alternate stack, the return from a handler. Calls that make threads and processes in this memory are
 * let through as they are, with everything open if the child is about to execute.
 */
#ifndef WHENCE_GUARD_DISPATCH_H
#define WHENCE_GUARD_DISPATCH_H

/* Once, and for each thread and each child of fork. */
void dispatch_init(void);
void dispatch_arm(void);
/* A thread that was let through is caught again. */
void dispatch_resume(void);

#endif
