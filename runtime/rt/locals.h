/* Local variables of instrumented functions as blocks of kind stack.
 *
 * They lie where the compiler has put them, between zones that the state plane closes while their
 * function runs (whence.abi.zones). A frame that is left by longjmp, an exception or the end of
 * a coroutine leaves its zones behind. The memory may then serve another purpose: a stack that a
 * program gave to a coroutine or to signal handlers is a block, a variable or a mapping of its
 * own. What frames have closed in the zones of no variable that lives is litter, which no rule is
 * shown and which is opened.
 *
 * Code that runs on such a stack knows the variables of its own frames: those that a walk from
 * where it stands meets. They are blocks inside of whatever the stack is.
 *
 * A function that returns closes its variables and their zones. They are freed blocks as long as
 * they lie below the stack pointer: there only a pointer to such a variable leads. Above it the
 * memory belongs to a later frame, and what is closed is litter.
 */
#ifndef WHENCE_RT_LOCALS_H
#define WHENCE_RT_LOCALS_H

#include <stdint.h>

/* Whether the calling code may have variables inside of other blocks: it runs on a stack that is
 * not its thread's. */
int locals_inner(void);

/* Whether the range [begin, end), whose first closed byte is `bad`, is of frames and not of a
 * variable. */
int locals_spanned(uintptr_t begin, uintptr_t end, uintptr_t bad);

/* Whether an address certainly lies in a frame of the calling code's. */
int locals_in_frame(uintptr_t address);

/* Opens the granule of an address if it is litter. 0 if it is not. */
int locals_open_litter(uintptr_t address);

#endif
