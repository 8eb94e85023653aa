/* What kind of memory an address lies in, where the state plane does not tell. */
#ifndef WHENCE_PROCESS_KIND_H
#define WHENCE_PROCESS_KIND_H

#include <stdint.h>

/* The calling thread's stack, from its bounds in thread_self; told again when it ends. */
void kind_stack_born(void);
void kind_stack_died(void);

/* WH_KIND_* */
uint64_t kind_of(uintptr_t address);

#endif
