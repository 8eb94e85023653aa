/* Runs a program by a start plan: creates the record, starts the program, waits for its end. */
#ifndef WHENCE_LAUNCHER_RUN_H
#define WHENCE_LAUNCHER_RUN_H

#include "plan.h"

/* How the run ended, and what is left to do. */
enum run_outcome {
    RUN_NOT_STARTED, /* the program was not started: Python runs it from the beginning */
    RUN_CLEAN,       /* the program has ended with `status`, and its record has no findings */
    RUN_UNFINISHED,  /* Python continues, with the running program or with the record of an ended
                        one */
};

struct run {
    char folder[4096]; /* of this run: the record, the socket, libraries */
    int child;         /* its process number, 0 once it has ended */
    int status;        /* the status from waitpid, once it has ended */
    int service;       /* the listening socket, -1 for none */
    long long input;   /* where in its file standard input began, -1 if it is no file */
};

enum run_outcome run_follow(struct run *run, const struct plan *start, char **words);

/* Removes the folder of a run that is over. */
void run_remove(const struct run *run, const struct plan *start);

#endif
