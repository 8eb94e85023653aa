#ifndef WHENCE_PORT_GUARDED_NEXT_H
#define WHENCE_PORT_GUARDED_NEXT_H

/* Finds all functions behind wrappers: later the program may be in a signal handler or in dlopen.
 */
void next_find_all(void);

#endif
