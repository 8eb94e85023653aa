/* Numbers of places in the code, in the order in which paths come there. */
#ifndef WHENCE_SYMBOLIC_SITES_H
#define WHENCE_SYMBOLIC_SITES_H

#include <stdint.h>

/* The number of a return address; 0 if there are too many. */
uint32_t sites_number(uint64_t pc, int *is_new);

#endif
