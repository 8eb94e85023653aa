/* The processor's state at a signal. */
#ifndef WHENCE_X86_MACHINE_H
#define WHENCE_X86_MACHINE_H

#include "x86.h"

#include <ucontext.h>

/* Decodes the instruction at an address, as far as memory can be read there. 0: not possible. */
int machine_decode(uint64_t rip, struct x86_instruction *instruction);
/* All registers that addresses are made from. The signal must be one of the calling thread's. */
void machine_registers(const ucontext_t *machine, struct x86_registers *registers);

/* The instruction at which a signal came, and where its memory operands are. */
struct machine_accesses {
    struct x86_instruction instruction; /* of length 0 if it is not known */
    uint64_t address[X86_MEMORIES];
};

void machine_accesses(const ucontext_t *machine, struct machine_accesses *accesses);
/* The operand of the instruction at which the signal came, or of the first one behind it, that
 * begins in [*address, *address + size) while registers are as they are, and where it begins. Its
 * `access` is 0 if none is found. */
struct x86_memory machine_access_in(const ucontext_t *machine, uint64_t *address, uint64_t size);
/* Where an indirect call or jump leads. 0: it is none. */
int machine_target(const ucontext_t *machine, const struct machine_accesses *accesses,
                   uint64_t *target);
/* The operand with a known width that holds an address; NULL if there is none. Masked operands and
 * those of gathers do not count: what they access is not known. */
const struct x86_memory *machine_holder(const struct machine_accesses *accesses, uint64_t address,
                                        uint64_t *begin);

#endif
