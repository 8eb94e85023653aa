/* Pointers that a program has given to the kernel to keep: `data.ptr` of epoll_ctl. */
#ifndef WHENCE_LEAK_KERNEL_H
#define WHENCE_LEAK_KERNEL_H

#include <stdint.h>

/* Calls `visit` for each. Other threads may stand anywhere. */
void kernel_pointers(void (*visit)(uintptr_t pointer));

#endif
