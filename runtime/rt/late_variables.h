/* Thread-local variables of libraries that are loaded while the program runs. */
#ifndef WHENCE_RT_LATE_VARIABLES_H
#define WHENCE_RT_LATE_VARIABLES_H

#include <stdint.h>

struct whence_variable;

/* Closes the zones of a variable's room in the calling thread, if the loader has allocated it:
 * makes it a block. Otherwise the room is one in the static block, which may become another
 * library's. */
void late_variable(const struct whence_variable *what, uintptr_t room);

#endif
