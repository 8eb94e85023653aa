/* Answers that are made up, and the same in each run: of clocks, of what gives random bytes, and
 * the numbers of processes. An exploration needs them, since its paths are to depend on their input
 * alone, and so does what runs its tests again. */
#ifndef WHENCE_PROCESS_MADE_H
#define WHENCE_PROCESS_MADE_H

#include <stddef.h>
#include <stdint.h>

/* Numbers that a process may have, but hardly one has. */
#define MADE_PROCESS 4194303u
#define MADE_PARENT 4194302u
/* In seconds, when the process begins: the time of day (the first of January 2026), and since the
 * start of the system. */
#define MADE_TODAY 1767225600
#define MADE_UPTIME 1000

#define MADE_SECOND 1000000000ull

/* In nanoseconds, since the begin. Each question takes a microsecond and a thousandth of the time
 * so far: a loop that waits for a time ends after at most some ten thousand questions, and what is
 * timed by few of them takes little time. */
uint64_t made_time(void);

/* So much time passes. */
void made_wait(uint64_t nanoseconds);

void made_fill(void *to, size_t size);

#endif
