/* Findings: from an event and a witness to a record, and to the end of the program. */
#ifndef WHENCE_FINDINGS_FINDING_H
#define WHENCE_FINDINGS_FINDING_H

#include "context.h"

/* Blocks and bytes in them, and those of them that only other lost blocks lead to. */
struct leak_sum {
    uint64_t count, bytes, indirect, indirect_bytes;
};

struct witness {
    uint64_t rule;                    /* index into the rule set, or WH_RULE_SIGNAL */
    const struct whence_block *block; /* NULL: the event's block */
    uint64_t value_count;
    const uint64_t *values;    /* to trace */
    struct leak_sum blocks;    /* that this finding stands for */
    uint32_t kind;             /* WH_LEAK_*: how pointers lead to those blocks */
    struct leak_sum inherited; /* of those blocks, what a parent had when it forked */
};

/* Records the finding. With halt=1 it does not return, unless it was made by a
 * leak check or the program is about to be killed by the signal that it is about. */
void finding_make(struct context *context, const struct witness *witness);

/* Around fork: no finding may be half made in the child. */
void finding_lock(void);
void finding_unlock(void);

/* Findings made so far by this process. */
uint64_t finding_count(void);

/* Writes out what the program has buffered for standard output, unless its lock is held. */
void finding_flush(void);

/* Whether this is the process of the option `held`. Without one no system call is made. */
int finding_is_held(void);
/* Called where this process is about to end with a status as waitpid gives it: the process of the
 * option `held` waits until its findings have been reported. Whether it has to end with the option
 * `exitcode` instead. */
int finding_hold(int status);

/* A function of the program that is called before a finding ends it; NULL: none. */
extern void (*finding_death_callback)(void);
/* The function that gets a line about each finding that is not a leak; NULL: none. */
extern void (*finding_report_callback)(const char *report);

/* Ends the program as after a finding, with the exit status for that. */
_Noreturn void finding_stop(void);

/* Whether the key was new; used to report each place once. */
int finding_first_time(uint64_t key);
/* From now on every key is new once more. */
void finding_forget_places(void);

#endif
