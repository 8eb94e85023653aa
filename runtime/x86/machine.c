#include "machine.h"
#include "../os/os.h"

#include <stddef.h>

static const int order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                              REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                              REG_R12, REG_R13, REG_R14, REG_R15};

#define WORD sizeof(uint64_t) /* bytes that a probe reads */

/* Memory is readable in whole pages: one probe for each page that the longest instruction touches.
 */
static unsigned code_size(uint64_t rip) {
    uint64_t next_page = (rip | (OS_PAGE - 1)) + 1;
    if (!os_readable(rip & ~(WORD - 1))) return 0;
    if (next_page - rip >= X86_LENGTH_MOST || (next_page && os_readable(next_page)))
        return X86_LENGTH_MOST;
    return (unsigned)(next_page - rip);
}

int machine_decode(uint64_t rip, struct x86_instruction *instruction) {
    return x86_decode((const uint8_t *)rip, code_size(rip), instruction);
}

void machine_registers(const ucontext_t *machine, struct x86_registers *registers) {
    for (int i = 0; i < 16; i++)
        registers->general[i] = (uint64_t)machine->uc_mcontext.gregs[order[i]];
    registers->rip = (uint64_t)machine->uc_mcontext.gregs[REG_RIP];
    /* The thread's control block begins with its own address. */
    __asm__("movq %%fs:0, %0" : "=r"(registers->fs));
    registers->gs = 0; /* Linux leaves it to programs, which compilers do not use it for */
}

void machine_accesses(const ucontext_t *machine, struct machine_accesses *accesses) {
    struct x86_registers registers;
    machine_registers(machine, &registers);
    machine_decode(registers.rip, &accesses->instruction);
    for (unsigned i = 0; i < accesses->instruction.memories; i++)
        accesses->address[i] =
            x86_address(&accesses->instruction, &accesses->instruction.memory[i], &registers);
}

const struct x86_memory *machine_holder(const struct machine_accesses *accesses, uint64_t address,
                                        uint64_t *begin) {
    for (unsigned i = 0; i < accesses->instruction.memories; i++) {
        const struct x86_memory *memory = &accesses->instruction.memory[i];
        uint64_t offset = address - accesses->address[i];
        if (!memory->access || memory->partial || memory->vector || offset >= memory->width)
            continue;
        *begin = accesses->address[i];
        return memory;
    }
    return NULL;
}
