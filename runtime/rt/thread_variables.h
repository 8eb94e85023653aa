/* Thread-local variables of instrumented images as blocks. */
#ifndef WHENCE_RT_THREAD_VARIABLES_H
#define WHENCE_RT_THREAD_VARIABLES_H

/* From the constructor of the runtime: finds out where the images of the start have theirs. */
void thread_variables_init(void);

/* In a thread that begins, and in one that ends: close the zones, and open them again. */
void thread_variables_begin(void);
void thread_variables_end(void);

/* In the child of a fork, in which the calling thread is the only one. */
void thread_variables_forked(void);

#endif
