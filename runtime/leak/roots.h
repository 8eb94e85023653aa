/* Memory that a running program can reach without following a heap pointer. */
#ifndef WHENCE_LEAK_ROOTS_H
#define WHENCE_LEAK_ROOTS_H

#include <stddef.h>
#include <stdint.h>
#include "../process/thread.h"

struct stack_top {
    uintptr_t sp;
    const struct thread *thread; /* the runtime's record of it; NULL if unknown */
};

/* file: a file's contents, of which pages may be missing. */
typedef void roots_visitor(uintptr_t begin, uintptr_t end, int system, int file);

/* Before roots_open, and before the search maps memory: finds whether a path of an exploration
 * searches in a process that goes back to its begin (unchanged.h), so that the mappings are not
 * read. */
void roots_find_known(uintptr_t sp);
/* Whether they are. */
int roots_are_known(void);
/* Reads the mappings of the process. 0 if that fails. */
int roots_open(void);
void roots_close(void);

/* Calls `visit` for every mapping that the program may keep pointers in and that
 * is not the runtime's: data segments, thread-local storage, the loader's own
 * memory, anonymous mappings of the program, and stacks from the given stack
 * pointers upward. Those of the C and C++ libraries and the loader come last,
 * with `system` set. */
void roots_each(const struct stack_top *stacks, size_t count, roots_visitor *visit);

/* The parts of [begin, end) that can be read; none if the mappings are not read. */
void roots_readable(uintptr_t begin, uintptr_t end, roots_visitor *visit);

/* Whether an address lies in constant data or code of a loaded file. Known after roots_open. */
int roots_in_constants(uint64_t address);

/* ---- of the text of mappings as they once were ---- */

struct roots_range {
    uintptr_t begin, end;
};

#define ROOTS_CONSTANTS_MOST 8192u
struct roots_constants {
    size_t count;
    struct roots_range ranges[ROOTS_CONSTANTS_MOST]; /* in order of address */
};
void roots_constants(const char *maps, size_t size, struct roots_constants *into);

struct root {
    uintptr_t begin, end;
    int system, file, shared;
};
/* All roots in order of address; stacks have their dead parts, too. 0: these are more than `most`.
 */
int roots_list(const char *maps, size_t size, struct root *into, uint32_t most, uint32_t *count);
/* Whether a range touches memory of the runtime, or the heap. */
int roots_are_ours(uintptr_t begin, uintptr_t end);

/* ---- stacks ---- */

/* The C library keeps the stacks of ended threads for new ones. Their contents are dead, except for
 * the thread's descriptor at the end, which belongs to the library. */
void roots_stack_died(uintptr_t descriptor);
void roots_stack_born(uintptr_t descriptor);
/* The main thread has ended, but not the process: its stack is dead below `high`. */
void roots_main_stack_died(uintptr_t high);

#endif
