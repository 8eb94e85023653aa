#include "machine.h"
#include "../os/mem.h"
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

#define REX 0x40u              /* the prefix's upper half */
enum { REX_B = 1, REX_R = 4 }; /* extend the numbers of registers */
#define LOAD 0x8bu             /* mov from memory to a register */

/* Follows a reload of a register from the frame, so that the address that it has is known. */
static void follow_reload(const struct x86_instruction *load, struct x86_registers *registers) {
    const uint8_t *code = (const uint8_t *)registers->rip;
    const struct x86_memory *memory = &load->memory[0];
    if (load->map || load->opcode != LOAD || load->memories != 1 || memory->width != WORD ||
        (memory->base != X86_RBP && memory->base != X86_RSP) || (code[0] & 0xf0) != REX)
        return;
    uint64_t at = x86_address(load, memory, registers);
    if (at % WORD || !os_readable(at)) return;
    unsigned extended = code[0] & REX_R ? 8 : 0;
    registers->general[(load->modrm >> 3 & 7) | extended] = *(const wh_word *)at;
}

#define AHEAD_MOST 16u /* instructions of a check before the access itself */

/* A check either branches away to what it calls, or around that. */
struct x86_memory machine_access_in(const ucontext_t *machine, uint64_t *address, uint64_t size) {
    static const struct x86_memory none;
    struct x86_registers registers;
    struct x86_instruction next;
    uint64_t around = 0;
    machine_registers(machine, &registers);
    for (unsigned ahead = 0; ahead < AHEAD_MOST && machine_decode(registers.rip, &next); ahead++) {
        for (unsigned i = 0; i < next.memories; i++) {
            uint64_t at = x86_address(&next, &next.memory[i], &registers);
            if (!next.memory[i].access || at - *address >= size) continue;
            *address = at;
            return next.memory[i];
        }
        if (next.kind == X86_PLAIN) {
            if (ahead) follow_reload(&next, &registers);
        } else if (next.kind == X86_CONDITIONAL) {
            if (next.immediate > 0) around = registers.rip + next.length + (uint64_t)next.immediate;
        } else if (next.kind == X86_CALL && around > registers.rip) {
            registers.rip = around;
            around = 0;
            continue;
        } else {
            return none;
        }
        registers.rip += next.length;
    }
    return none;
}

int machine_target(const ucontext_t *machine, const struct machine_accesses *accesses,
                   uint64_t *target) {
    const struct x86_instruction *branch = &accesses->instruction;
    struct x86_registers registers;
    if ((branch->kind != X86_CALL && branch->kind != X86_JUMP) || branch->direct) return 0;
    if (branch->modrm < 0xc0) { /* an operand in memory */
        if (branch->memory[0].width != WORD || !os_readable(accesses->address[0])) return 0;
        *target = *(const wh_word *)accesses->address[0];
        return 1;
    }
    machine_registers(machine, &registers);
    const uint8_t *modrm = (const uint8_t *)registers.rip + branch->length - 1;
    unsigned extended = branch->length > 2 && (modrm[-2] & 0xf0) == REX && (modrm[-2] & REX_B);
    *target = registers.general[(*modrm & 7) | extended << 3];
    return 1;
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
