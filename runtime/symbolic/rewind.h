/* A process that runs one path after the other: when a path ends, the process goes back to where it
 * was before it. A path of which that cannot be undone ends with its process. Before Linux
 * 5.11 each path has a process. */
#ifndef WHENCE_SYMBOLIC_REWIND_H
#define WHENCE_SYMBOLIC_REWIND_H

/* Reserves the memory that stays as it is. 0: there is none. */
int rewind_reserve(void);
/* Returns 0; or -1, and all is as before, if this process can run one path only; and 1, again and
 * again, when a path has ended. Then all memory and all registers are as at the first return, as in
 * the child of a fork. socket: of the process; it gets a number that paths do not see. */
int rewind_mark(int *socket);
/* A path begins. */
void rewind_begin(void);
/* Calls between these two are made as they are: what they do, the caller undoes himself. The kernel
 * may write to no memory of the program. `paused`: what the first has returned. */
int rewind_pause(void);
void rewind_resume(int paused);
/* The exit status of the path that has ended. */
int rewind_status(void);

#endif
