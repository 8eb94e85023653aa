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

/* Whether a call reads standard input, or makes another descriptor of it, where that cannot be. */
int cage_reads(int number, const uint64_t *words);

/* Closes the cage for good. Where the system does not let it, the process ends and the record says
 * so. */
void cage_close(void);

/* What the first run got from a call of this thread, if it is known: then nothing else happens.
 * site: where in the C library the code behind the call is. */
int cage_again(int number, uint32_t site, const uint64_t *words, long *result);

/* Makes a descriptor lead to a pipe with nothing in it. */
void cage_stand_in(int descriptor);

/* The handler of calls that the kernel hands over. */
void cage_caught(int number, siginfo_t *info, void *machine);

#endif
