/* Where another thread stands that waits in the kernel. */
#ifndef WHENCE_PROCESS_BLOCKED_H
#define WHENCE_PROCESS_BLOCKED_H

#include <stdint.h>

/* The stack pointer of a thread of the process, after a while if it runs; 0 if it does not come to
 * wait, or the kernel does not tell. */
uintptr_t blocked_await(uint32_t tid);

#endif
