/* The cage of a second run, which says whence values came and must not change the world twice.
 *
 * The kernel hands over each system call that could change more than this process (seccomp), unless
 * the runtime makes it. What is harmless after all is carried out; at any other call the process
 * ends, before the call, and the record says what it was about to do (a refusal).
 *
 * Allowed: reading files, memory, threads, pipes and sockets between parts of the process, signals
 * to itself, and what is written to descriptors that it has made. Inherited descriptors above 2
 * lead nowhere, or to an own place in the same file. Where standard input cannot be read again, the
 * process ends before it reads any.
 */
#ifndef WHENCE_RT_CAGE_H
#define WHENCE_RT_CAGE_H

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

/* What stands for the % in the words of a row. */
enum cage_words {
    CAGE_PLAIN,    /* nothing */
    CAGE_PATH,     /* the path in the first argument */
    CAGE_PATH_AT,  /* in the second */
    CAGE_ADDRESS,  /* the address of a socket in the second */
    CAGE_ADDRESS5, /* in the fifth */
    CAGE_PROCESS,  /* the process in the first */
};

/* A system call that changes the world. */
struct cage_row {
    int number;
    enum cage_words kind;
    const char *words;
};

/* The row of a call, NULL for one that no row is about. */
const struct cage_row *cage_find(int number);

/* Whether a call reads descriptors, or makes others of them. */
int cage_reads(int number);

/* Closes the cage for good. Where the system does not let it, the process ends and the record says
 * so. */
void cage_close(void);

/* The handler of calls that the kernel hands over. */
void cage_caught(int number, siginfo_t *info, void *machine);

#endif
