/* Threads of the program: beginning and end. */
#ifndef WHENCE_RT_THREADS_H
#define WHENCE_RT_THREADS_H

/* Finds the C library's functions and registers what runs at fork and at the
 * end of a thread. From the constructor. */
void threads_init(void);

#endif
