/* Memory that a running program can reach without following a heap pointer. */
#ifndef WHENCE_LEAK_ROOTS_H
#define WHENCE_LEAK_ROOTS_H

#include <stddef.h>
#include <stdint.h>

struct stack_top {
    uintptr_t sp;
};

/* Calls `visit` for every private writable mapping that is not the runtime's:
 * data segments, thread-local storage, the loader's own memory, anonymous
 * mappings of the program, and stacks from the given stack pointers upward.
 * Those of the C and C++ libraries and the loader come last, with `system` set.
 * 0 if the mappings cannot be learned: no memory, no /proc, no descriptor left. */
int roots_each(const struct stack_top *stacks, size_t count,
               void (*visit)(uintptr_t begin, uintptr_t end, int system));

/* Whether a program counter lies in the dynamic loader. Known after roots_each. */
int roots_in_loader(uint64_t pc);

/* The C library keeps the stacks of ended threads for new ones. What lies there
 * is dead, but for the thread's descriptor at the end, which is the library's. */
void roots_stack_died(uintptr_t descriptor);
void roots_stack_born(uintptr_t descriptor);

#endif
