/* Local variables of instrumented functions as blocks of kind stack.
 *
 * They lie where the compiler has put them, between zones that the state plane closes while their
 * function runs (whence.abi.zones). A frame that is left by longjmp, an exception or the end of
 * a coroutine leaves its zones behind: so does memory of a stack that was used before. What is
 * closed on a thread's own stack and in the zones of no variable that lives is litter, which no
 * rule is shown and which is opened.
 */
#ifndef WHENCE_RT_LOCALS_H
#define WHENCE_RT_LOCALS_H

#include <stdint.h>

/* Opens the granule of an address that is closed without reason. 0 if it is not known to be so. */
int locals_open_litter(uintptr_t address);

#endif
