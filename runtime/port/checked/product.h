/* The runtime of checked programs: state planes say which bytes may be accessed. */
#ifndef WHENCE_PORT_PRODUCT_H
#define WHENCE_PORT_PRODUCT_H

#include "../lives.h"

#define PORT_LIBRARY "libwhence-rt.so"
#define PORT_CHECKS 1
#define PORT_PLANES 1
#define PORT_GUARDS 0
#define PORT_OBSERVED 0

/* Only instrumented code calls the wrapper `own` of the library function `name`. */
#define PORT_SYMBOL(name, own) "__whence_" #own
#define PORT_FOLLOWED(name)
#define PORT_NEXT(name) name
#define PORT_SYSCALL "syscall"

#endif
