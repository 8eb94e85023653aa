/* The preloaded allocator: blocks lie beside pages that cannot be accessed (guard/guard.h). */
#ifndef WHENCE_PORT_PRODUCT_H
#define WHENCE_PORT_PRODUCT_H

#include "../lives.h"

#define PORT_LIBRARY "whence-alloc.so"
#define PORT_CHECKS 1
#define PORT_PLANES 0
#define PORT_GUARDS 1

#endif
