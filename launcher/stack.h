/* The limit of the stack (ulimit -s): the program gets the user's, and the interpreter that reports
 * about it as much as it needs. */
#ifndef WHENCE_LAUNCHER_STACK_H
#define WHENCE_LAUNCHER_STACK_H

/* Raises the limit of this process, as far as it may. */
void stack_raise(void);
/* The user's limit again, in the process that becomes the program. */
void stack_restore(void);
/* Before Python is executed: tells it the user's limit. Ends with a sentence where Python would
 * find no room. */
void stack_hand_over(void);

#endif
