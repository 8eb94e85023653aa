/* Libraries that the program loads while it runs. */
#ifndef WHENCE_RT_LOADING_H
#define WHENCE_RT_LOADING_H

/* Before fork: no other thread may be in the middle of a change to our table. */
void loading_lock(void);
void loading_unlock(void);

#endif
