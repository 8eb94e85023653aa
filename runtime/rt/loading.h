/* Libraries that the program loads while it runs. */
#ifndef WHENCE_RT_LOADING_H
#define WHENCE_RT_LOADING_H

/* Whether an instrumented library has been loaded so far. */
int loading_any(void);

/* Before fork: no other thread may be in the middle of a change to our table. */
void loading_lock(void);
void loading_unlock(void);

#endif
