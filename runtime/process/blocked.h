/* Where another thread stands that waits in the kernel. */
#ifndef WHENCE_PROCESS_BLOCKED_H
#define WHENCE_PROCESS_BLOCKED_H

#include <stdint.h>

/* The stack pointer of a thread of the process; 0 if it runs or the kernel does not tell. */
uintptr_t blocked_stack_pointer(uint32_t tid);

/* The same, after a while if it runs. */
uintptr_t blocked_await(uint32_t tid);

#endif
