/* What the libraries that are built of these sources differ in.
 *
 * `product.h`, of the folder that is built (checked, guarded, bare), says what stands at compile
 * time: the constants below, and the record of a block. The functions below are called by all,
 * and each product supplies its own, which the linker finds in its port.c or behind it.
 *
 *     PORT_LIBRARY  file name of the library
 *     PORT_CHECKS   somebody asks about blocks: rules, lives, stacks
 *     PORT_PLANES   there are state planes
 *     PORT_GUARDS   blocks have closed pages beside them
 */
#ifndef WHENCE_PORT_PORT_H
#define WHENCE_PORT_PORT_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include "product.h"

struct block;
struct context;
struct frame;
struct thread;
struct wh_finding;

/* ---- start ---- */

/* Reserves memory, reads options, opens the record file. Called by the first
 * allocation, which may come before any constructor. */
void port_start(void);
/* Reads more variables of the environment (as in /proc/self/environ). */
void port_configure(const char *environment, size_t size);
/* An address range could not be reserved, with -errno in `result`. */
void port_no_range(const char *what, long result, uintptr_t begin, size_t size);
/* From the constructor, when threads and signals are ready. */
void port_begin(int count, char **arguments);

/* ---- blocks ---- */

/* A slot that heap_seals() leaves the quarantine; called with the class locked. */
void port_evicted(unsigned shift, uint64_t index);

/* ---- accesses and signals ---- */

/* First byte of [address, address+size) that may not be accessed, or address+size (2**47 at
 * most). Exact for the heap; outside it, only what the state plane says of the first megabyte. */
uintptr_t port_first_bad(uintptr_t address, uint64_t size);
/* Evaluates the rules on an access that the processor refused. The number of findings. */
uint64_t port_trapped(struct context *context, uintptr_t address, int write);
/* Whether there is code in this process that the user wants to have checked. */
int port_is_checked(void);
/* A signal of the processor: 1 if the instruction is to run again. */
int port_takes_fault(int number, const siginfo_t *info, void *machine);
/* Bit (1 << (number - 1)) for each signal that the program must neither block nor handle. */
uint64_t port_signals(void);
/* Makes a function the handler of a signal. */
void port_install(int number, void (*handler)(int, siginfo_t *, void *));
/* The handlers are installed. */
void port_signals_ready(void);

/* ---- threads ---- */

/* Depot handle of the stack that ends in `frame`; each request and each free comes by here. */
uint32_t port_stack(struct thread *thread, const struct frame *frame);
/* The calling thread is about to make another one, and has done so. */
void port_before_thread(void);
void port_after_thread(void);
/* The calling thread has begun, or is alone in the child of a fork. */
void port_thread_begins(void);
/* Around fork: no other thread may be in the middle of a change. */
void port_lock(void);
void port_unlock(void);

/* ---- leak searches ---- */

/* Before the other threads are stopped; when they stand (some may not); when all has been read. */
void port_search_begins(void);
void port_search_stands(int all_stand);
void port_search_ends(void);
/* Where a live block's bytes are read while no other thread runs. */
uintptr_t port_bytes(struct block place, uintptr_t begin);

/* ---- findings ---- */

/* Adds to a record what is known of its block here alone. */
void port_describe_block(struct block place, struct wh_finding *head);
/* The stacks of a finding: as many return addresses as its record says. */
struct port_stacks {
    const uint64_t *stack, *alloc, *free;
};
struct port_words {
    const char *rule;
    const char *step;     /* what the program was about to do, in one word */
    const char *function; /* library function that did it for the program, of head->n_name bytes */
};
/* Writes a finding that nobody reads from a record file to standard error. */
void port_say(const struct wh_finding *head, const struct port_words *words,
              struct port_stacks stacks);
/* The program has trapped: waits for a debugger where the user wants that. Whether one came. */
int port_await_debugger(const char *rule);

#endif
