/* The processes of paths: how one is forked, and how long it may take. A path may be one of many in
 * its process (rewind.h). */
#ifndef WHENCE_SYMBOLIC_PATHS_H
#define WHENCE_SYMBOLIC_PATHS_H

#include <stdint.h>
#include <sys/types.h>
#include "whence_abi.h"

/* What a path and the process that has forked it know of each other. begun: in microseconds. ended:
 * how many have ended in this process, without an end of the process. The rest is paths.c's. */
struct path_run {
    uint32_t state, ended;
    uint64_t number, milliseconds, begun;
    uint32_t flags;
};

/* Shared by both processes. */
struct path_run *paths_now(void);
/* Makes room for what processes share and for what stays from path to path. 0: there is none. */
int paths_reserve(void);
/* A path begins. */
void paths_begin(uint64_t number, uint64_t milliseconds, uint32_t flags);
/* In its process: it has ended. Where its time has ended before, this does not return. */
void paths_end(void);
/* Whether the process ended, or was killed, while it ran a path. */
int paths_was_cut(void);
/* Forks; in the child `forked` is called if no handlers of forks were. */
pid_t paths_fork(void (*forked)(void));
/* Waits for the end of the process, and ends it itself where the time of a path is over. Fills in
 * all but what only the caller knows. */
void paths_await(pid_t child, struct wh_explore_answer *answer);
/* Whether the next process is to run several paths, if it can. */
int paths_run_many(void);

#endif
