/* The runtime of checked programs: state planes say which bytes may be accessed. */
#ifndef WHENCE_PORT_PRODUCT_H
#define WHENCE_PORT_PRODUCT_H

#include "../lives.h"

#define PORT_LIBRARY "libwhence-rt.so"
#define PORT_CHECKS 1
#define PORT_PLANES 1
#define PORT_GUARDS 0

#endif
