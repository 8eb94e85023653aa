/* The memory address of an instruction, where the processor does not tell it. */
#ifndef WHENCE_RT_DECODE_H
#define WHENCE_RT_DECODE_H

#include <stdint.h>

/* Registers in the order of their encoding: rax rcx rdx rbx rsp rbp rsi rdi r8..r15. */
struct decode_registers {
    uint64_t general[16];
};

/* Address of the memory operand (ModRM) of the instruction at `code`, of which
 * `size` bytes can be read. 0 if it has none or is of a kind not known here
 * (VEX, EVEX, segment overrides). An immediate behind a rip-relative operand is
 * not counted. */
int decode_operand(const uint8_t *code, unsigned size, const struct decode_registers *registers,
                   uint64_t rip, uint64_t *address);

#endif
