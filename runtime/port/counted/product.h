/* What `whence heap` preloads into a program that is not checked: its own allocator serves it, and
 * calls of that are counted. There are no blocks of ours, planes or rules. */
#ifndef WHENCE_PORT_PRODUCT_H
#define WHENCE_PORT_PRODUCT_H

#include "../lives.h"

#define PORT_LIBRARY "whence-count.so"
#define PORT_CHECKS 0
#define PORT_PLANES 0
#define PORT_GUARDS 0
#define PORT_OBSERVED 0
#define PORT_SYSCALL "syscall"

#endif
