/* Threads of the program: beginning and end. */
#ifndef WHENCE_RT_THREADS_H
#define WHENCE_RT_THREADS_H

/* Finds the C library's functions and registers what runs at fork and at the
 * end of a thread. From the constructor. */
void threads_init(void);

/* In a child without a handler of fork: this is another process, of one thread. No lock was held.
 */
void threads_forked(void);

#endif
