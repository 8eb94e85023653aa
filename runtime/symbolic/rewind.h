/* A process that runs one path after the other: when a path ends, the process goes back to where it
 * was before it. A path of which that cannot be undone ends with its process. Linux 5.11 on x86-64;
 * elsewhere each path has a process. */
#ifndef WHENCE_SYMBOLIC_REWIND_H
#define WHENCE_SYMBOLIC_REWIND_H

/* Reserves the memory that stays as it is. 0: there is none. */
int rewind_reserve(void);
/* Prepares a process of one thread. 0: it can run one path only. socket: of the process; it gets a
 * number that paths do not see, and is closed at its old one. */
int rewind_prepare(int *socket);
/* Returns 0, or -1 if no path can return here; and 1, again and again, when a path has ended. Then
 * all memory and all registers are as at the first return, as in the child of a fork. */
int rewind_mark(void);
/* A path begins. */
void rewind_begin(void);
/* The exit status of the path that has ended. */
int rewind_status(void);

#endif
