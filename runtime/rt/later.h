/* Twins that are made when they are first needed (whence.abi.later).
 *
 * A module's cells of twins are empty at first. Where a function is about to leave for its twin, it
 * asks for it here; the launcher answers with a library that has it, perhaps with others. What such
 * a library refers to in the module it gets from the module's table. Where no launcher can be
 * asked, the function goes on as if all values were defined, and a note says so. Before the program
 * gives up what asking takes, all twins are fetched.
 */
#ifndef WHENCE_RT_LATER_H
#define WHENCE_RT_LATER_H

/* The program is about to lose what asking takes: files, the socket, or system calls. Many twins
 * are left out: they take minutes. */
void later_fetch_all(void);

/* Around fork. */
void later_lock(void);
void later_unlock(void);

#endif
