/* A run that follows a start plan: the record, the program, and waiting for its end. */
#ifndef WHENCE_LAUNCHER_RUN_H
#define WHENCE_LAUNCHER_RUN_H

#include "start.h"

/* Who goes on, and with what. */
enum run_outcome {
    RUN_NOT_STARTED, /* nothing was done: Python runs the program from the beginning */
    RUN_CLEAN,       /* the program has ended as `status` says, and there is nothing to report */
    RUN_UNFINISHED,  /* Python goes on: with a program that runs, or with the record of one that has
                        ended */
};

struct run {
    char folder[4096]; /* of this run: the record, the socket, libraries */
    int child;         /* its process number, 0 once it has ended */
    int status;        /* as waitpid gives it, once it has ended */
    int service;       /* the listening socket, -1 for none */
};

enum run_outcome run_follow(struct run *run, const struct start *start, char **words);

/* Removes the folder of a run that is over. */
void run_remove(const struct run *run, const struct start *start);

/* Ends this process as the program ended. */
_Noreturn void run_end_like(int status);

#endif
