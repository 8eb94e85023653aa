/* The limit of the stack (ulimit -s): the program gets the user's, and the interpreter that reports
 * about it as much as it needs. */
#ifndef WHENCE_LAUNCHER_STACK_H
#define WHENCE_LAUNCHER_STACK_H

/* Raises the limit of this process, as far as it may, and gives it room where that is too little.
 * To be called before functions that need more than a few hundred bytes. */
void stack_raise(void);
/* The user's limit again, in the process that becomes the program. */
void stack_restore(void);
/* Before a program is started that Python may report about, or before Python is: finds out whether
 * Python, which may be needed after it, finds room. Ends with a sentence if it does not. python:
 * the program beside this one. words: its arguments. */
void stack_ensure(const char *python, char **words);
/* Before Python is executed: has it make room. */
void stack_hand_over(void);
/* Likewise: tells it the user's limit, for the program. */
void stack_tell(void);

#endif
