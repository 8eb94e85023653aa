/* The runtime of programs without IR, which a tool executes (observed/observed.h): state planes as
 * in checked programs, elsewhere, as the tool's own memory lies where theirs are. */
#ifndef WHENCE_PORT_PRODUCT_H
#define WHENCE_PORT_PRODUCT_H

#include "../lives.h"

#define PORT_LIBRARY "libwhence-observed.so"
#define PORT_CHECKS 1
#define PORT_PLANES 1
#define PORT_GUARDS 0
#define PORT_OBSERVED 1

/* Calls of library functions are led to the wrappers (observed/calls.c). */
#define PORT_SYMBOL(name, own) "__whence_" #own
#define PORT_FOLLOWED(name)
#define PORT_NEXT(name) name
#define PORT_SYSCALL "syscall"

#endif
