/* Decodes one x86-64 instruction: its length, the memory it accesses and where it branches to.
 *
 * All encodings that compilers emit are known: legacy, VEX, EVEX and XOP. Nothing allocates or
 * keeps state: handlers of signals may call everything here. */
#ifndef WHENCE_X86_H
#define WHENCE_X86_H

#include <stdint.h>

#define X86_LENGTH_MOST 15u /* bytes of the longest instruction */

/* Registers in the order of their encoding: rax rcx rdx rbx rsp rbp rsi rdi r8..r15. */
enum {
    X86_RAX,
    X86_RCX,
    X86_RDX,
    X86_RBX,
    X86_RSP,
    X86_RBP,
    X86_RSI,
    X86_RDI,
    X86_RIP = 16,
    X86_AL = 17,
    X86_NO_REGISTER = 255
};

struct x86_registers {
    uint64_t general[16];
    uint64_t rip;    /* of the instruction's first byte */
    uint64_t fs, gs; /* bases of the segments */
};

enum { X86_READ = 1, X86_WRITE = 2 }; /* bits of an access */

enum x86_segment { X86_FLAT, X86_FS, X86_GS };

/* A memory operand, explicit or implied. */
struct x86_memory {
    int64_t displacement;
    uint16_t width;      /* bytes of the access, of one element if `vector`; 0: not known */
    uint8_t access;      /* X86_READ | X86_WRITE; 0: only the address is used, as by lea */
    uint8_t base, index; /* X86_RAX…, X86_RIP (a base), X86_AL (an index), X86_NO_REGISTER */
    uint8_t scale;       /* the index is multiplied by 1, 2, 4 or 8 */
    uint8_t bits;        /* register with the number of a bit counted from the address, as of bt */
    uint8_t segment;     /* enum x86_segment */
    uint8_t partial;     /* `width` is an upper bound: a mask chooses the bytes */
    uint8_t vector;      /* `index` is a vector register: a gather or scatter of many elements */
    uint8_t narrow;      /* the address has 32 bits */
};

enum x86_kind {
    X86_PLAIN,
    X86_JUMP,
    X86_CONDITIONAL,
    X86_CALL,
    X86_RETURN,
    X86_SYSTEM_CALL,
    X86_TRAP, /* int3, ud2, hlt and the like */
};

#define X86_MEMORIES 2

struct x86_instruction {
    uint8_t length;
    uint8_t kind;   /* enum x86_kind */
    uint8_t direct; /* a branch to `immediate` bytes after the instruction's end */
    uint8_t map;    /* 0: one byte, 1: 0f, 2: 0f 38, 3: 0f 3a, 5 and 6: of EVEX, 8 to 10: of XOP */
    uint8_t opcode;
    uint8_t prefix;   /* 0, 0x66, 0xf3 or 0xf2: also the one that VEX and EVEX imply */
    uint8_t repeated; /* a string instruction with a rep prefix; widths are of one iteration */
    uint8_t modrm;    /* 0 if there is none */
    uint8_t memories;
    struct x86_memory memory[X86_MEMORIES]; /* the explicit one first; of movs and cmps rsi's */
    int64_t immediate;
};

/* Decodes the instruction at `code`, of which `size` bytes can be read: never reads behind them,
 * nor behind X86_LENGTH_MOST bytes. 0: it is cut off or not known; then all of `instruction` is 0.
 */
int x86_decode(const uint8_t *code, unsigned size, struct x86_instruction *instruction);

/* Where a memory operand is; of gathers and scatters, the address to which the elements' indices
 * are added. */
uint64_t x86_address(const struct x86_instruction *instruction, const struct x86_memory *memory,
                     const struct x86_registers *registers);

#endif
