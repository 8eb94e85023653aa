/* Pointers that the kernel stores for the program: `data.ptr` of epoll_ctl. */
#ifndef WHENCE_LEAK_KERNEL_H
#define WHENCE_LEAK_KERNEL_H

#include <stdint.h>

struct epoll_event;

/* epoll_ctl of the C library; keeps the pointer. */
int kernel_epoll_ctl(int queue, int operation, int file, struct epoll_event *event);

/* Calls `visit` for each. Other threads may be stopped anywhere, so this takes no locks of theirs.
 */
void kernel_pointers(void (*visit)(uintptr_t pointer));

#endif
