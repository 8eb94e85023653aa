/* The interface in which the libraries that are built from these sources differ.
 *
 * A product has a folder here (checked, guarded, bare). Its `product.h` defines the record of a
 * block and the constants below, which are fixed at compile time. All products call the functions
 * below; each defines them in its port.c or in the folders that only it is linked from.
 *
 *     PORT_LIBRARY  file name of the library
 *     PORT_CHECKS   it evaluates rules, and records lives and stacks of blocks
 *     PORT_PLANES   it has state planes
 *     PORT_GUARDS   its blocks lie beside closed pages
 *     PORT_OBSERVED a tool executes the program, and looks at the planes (observed/observed.h)
 *     PORT_SYSCALL  the symbol of the syscall that knows of mappings (replace/mapping.c)
 *
 * Products that check library functions say what the wrapper's symbol is (PORT_SYMBOL), what stands
 * before its definition (PORT_FOLLOWED), and how it calls the function (PORT_NEXT).
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
struct observer;
struct text;
struct thread;
struct wh_finding;

/* ---- start ---- */

/* Reserves memory, reads options, opens the record file. Called by the first
 * allocation, which may come before any constructor. */
void port_start(void);
/* The runtime cannot check, or can no longer: ends the process with status TEXT_LIMIT_STATUS, and
 * the report says why. */
_Noreturn void port_give_up(const struct text *why);
/* Reads more variables of the environment (as in /proc/self/environ). */
void port_configure(const char *environment, size_t size);
/* An address range could not be reserved, with -errno in `result`. */
void port_no_range(const char *what, long result, uintptr_t begin, size_t size);
/* Called by the constructor, when threads and signals are ready. */
void port_begin(int count, char **arguments);

/* Who observes events (events/events.h), at most 32; NULL ends them. Defined in observers.c. */
extern const struct observer *const port_observers[];

/* ---- blocks ---- */

/* Around a change of what threads share of the heap: their order decides where blocks lie. */
void port_before_share(void);
void port_after_share(void);

/* A slot for which heap_seals() holds leaves the quarantine; the class is locked. */
void port_evicted(unsigned shift, uint64_t index);

/* ---- accesses and signals ---- */

/* The first byte of [address, address+size) that may not be accessed, or address+size (2**47 at
 * most). Exact in memory that blocks govern; elsewhere the state plane decides, and only about the
 * first megabyte. */
uintptr_t port_first_bad(uintptr_t address, uint64_t size);
/* Evaluates the rules on an access that the processor refused. The number of findings. */
uint64_t port_trapped(struct context *context, uintptr_t address, int write);
/* Whether this process contains code that is to be checked. */
int port_is_checked(void);
/* Lines of chains (whence.engines.process.chains) for the values from which the address of the
 * access was made, where they are known from the run itself. `caller`: behind the call of the
 * function that made it, or 0. Where PORT_OBSERVED is 1. */
struct text;
void port_written(const struct context *context, uint64_t caller, struct text *into);
/* Judges arguments of a call that this thread makes, whose registers the tool has noted
 * (PORT_OBSERVED): from the one with number `first` on; how: four bits for each, its bytes. */
void port_arguments(unsigned first, uint64_t how, const long *words, const char *library,
                    const struct frame *frame);
/* Handles a signal of the processor; 1 if the instruction must run again. */
int port_takes_fault(int number, const siginfo_t *info, void *machine);
/* Bit (1 << (number - 1)) for each signal that the program must neither block nor handle. */
uint64_t port_signals(void);
/* Makes a function the handler of a signal. */
void port_install(int number, void (*handler)(int, siginfo_t *, void *));
/* Called after the handlers are installed. */
void port_signals_ready(void);

/* ---- threads ---- */

/* Depot handle of the stack whose innermost frame is `frame`. Called for each allocation and free.
 */
uint32_t port_stack(struct thread *thread, const struct frame *frame);
/* Bit 1 << MEET_* for each kind of locks and their like that the runtime can read. */
uint32_t port_known_locks(void);
/* Before and after fork: the child must not begin in the middle of a change. */
void port_lock(void);
void port_unlock(void);
/* The same for locks whose holders take no other. */
void port_lock_last(void);
void port_unlock_first(void);
/* In the child of a fork: `look` is called before the thread uses the runtime again. */
void port_look_first(void (*look)(void));

/* ---- leak searches ---- */

/* Before the other threads are stopped; after that (some may not have stopped); after the search.
 */
void port_search_begins(void);
void port_search_stands(int all_stand);
void port_search_ends(void);
/* The address to read a live block's bytes from while no other thread runs. */
uintptr_t port_bytes(struct block place, uintptr_t begin);

/* ---- library functions ---- */

/* Finds the function that a wrapper calls, in a product whose wrappers have the functions' names.
 */
struct port_next;
void *port_find(struct port_next *next);

/* ---- findings ---- */

/* Adds the facts about the block that only this product has. */
void port_describe_block(struct block place, struct wh_finding *head);
/* The stacks of a finding: as many return addresses as its record says. */
struct port_stacks {
    const uint64_t *stack, *alloc, *free;
};
struct port_words {
    const char *rule;
    const char *step;     /* the action of the event, in one word */
    const char *function; /* the library function that took it, of head->n_name bytes */
};
/* Writes a finding to standard error, in a process without a record file. */
void port_say(const struct wh_finding *head, const struct port_words *words,
              struct port_stacks stacks);
/* Memory is to look as the program sees it, because a debugger may attach. */
void port_before_debugger(void);

/* The program is about to lose what requests to the launcher take: files, the socket, or calls. */
void port_before_leaving(void);

/* The C library's fork. */
int port_fork(void);

#endif
