/* modules: x86/decode x86/general x86/vector */
#include "../../../runtime/x86/x86.h"
#include "unit.h"

static struct x86_registers registers = {.rip = 0x400000, .fs = 0xf0000, .gs = 0x90000};

/* The first memory operand of an instruction: its address, width and access. */
static void expect(uint64_t address, unsigned width, unsigned access, const uint8_t *code,
                   unsigned size) {
    struct x86_instruction instruction;
    CHECK(x86_decode(code, size, &instruction));
    CHECK_EQUAL(instruction.length, size);
    CHECK(instruction.memories);
    CHECK_EQUAL(x86_address(&instruction, &instruction.memory[0], &registers), address);
    CHECK_EQUAL(instruction.memory[0].width, width);
    CHECK_EQUAL(instruction.memory[0].access, access);
}

#define EXPECT(address, width, access, ...)                                                        \
    do {                                                                                           \
        const uint8_t code[] = {__VA_ARGS__};                                                      \
        expect(address, width, access, code, sizeof code);                                         \
    } while (0)

#define DECODE(instruction, ...)                                                                   \
    do {                                                                                           \
        const uint8_t code[] = {__VA_ARGS__};                                                      \
        CHECK(x86_decode(code, sizeof code, instruction));                                         \
        CHECK_EQUAL((instruction)->length, sizeof code);                                           \
    } while (0)

#define UNKNOWN(...)                                                                               \
    do {                                                                                           \
        const uint8_t code[] = {__VA_ARGS__};                                                      \
        struct x86_instruction instruction;                                                        \
        CHECK(!x86_decode(code, sizeof code, &instruction));                                       \
        CHECK_EQUAL(instruction.length, 0);                                                        \
    } while (0)

enum { R = X86_READ, W = X86_WRITE, RW = X86_READ | X86_WRITE };

static void addresses(void) {
    EXPECT(0x1000, 4, R, 0x8b, 0x00);                         /* mov (%rax),%eax */
    EXPECT(0x4000, 4, W, 0xc7, 0x03, 1, 0, 0, 0);             /* movl $1,(%rbx) */
    EXPECT(0x7ff8, 8, R, 0x48, 0x8b, 0x4f, 0xf8);             /* mov -8(%rdi),%rcx */
    EXPECT(0xd000 + 0x12345678, 8, R, 0x49, 0x8b, 0x84, 0x24, /* …(%r12),%rax */
           0x78, 0x56, 0x34, 0x12);
    EXPECT(0x1000 + 8 * 0x2000, 8, W, 0x48, 0x89, 0x14, 0xc8);       /* mov %rdx,(%rax,%rcx,8) */
    EXPECT(0x10 + 4 * 0xa000, 4, R, 0x42, 0x8b, 0x04, 0x8d, 0x10, 0, /* 0x10(,%r9,4) */
           0, 0);
    EXPECT(0x1000 + 0xd000, 1, R, 0x42, 0x8a, 0x04, 0x20);       /* mov (%rax,%r12),%al */
    EXPECT(0x5000 + 16, 4, R, 0x8b, 0x44, 0x24, 0x10);           /* mov 0x10(%rsp),%eax */
    EXPECT(0x400107, 8, R, 0x48, 0x8b, 0x05, 0, 1, 0, 0);        /* mov 0x100(%rip),%rax */
    EXPECT(0x40010a, 4, RW, 0x81, 0x05, 0, 1, 0, 0, 1, 0, 0, 0); /* addl: the immediate counts */
    EXPECT(0xf0028, 8, R, 0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0); /* mov %fs:0x28,%rax */
    EXPECT(0x91000, 4, R, 0x65, 0x8b, 0x00);                            /* mov %gs:(%rax),%eax */
    EXPECT(0xff0, 4, R, 0x67, 0x8b, 0x40, 0xf0);                        /* -16(%eax) */
    EXPECT(0xfffffffffffffff0, 4, R, 0x8b, 0x04, 0x25, 0xf0, 0xff, 0xff, 0xff);
    EXPECT(0x1122334455667788, 1, R, 0xa0, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11);
    EXPECT(0x3000 + 4 * (0x2000 >> 5), 4, R, 0x0f, 0xa3, 0x0a); /* bt %ecx,(%rdx) */
    EXPECT(0x4000, 1, R, 0xd7);                                 /* xlat: al is 0 */
}

static void widths(void) {
    EXPECT(0x8000, 1, R, 0x8a, 0x07);                             /* mov (%rdi),%al */
    EXPECT(0x8000, 2, W, 0x66, 0x89, 0x07);                       /* mov %ax,(%rdi) */
    EXPECT(0x8000, 1, R, 0x0f, 0xb6, 0x07);                       /* movzbl */
    EXPECT(0x8000, 2, R, 0x0f, 0xbf, 0x07);                       /* movswl */
    EXPECT(0x8000, 4, RW, 0xf0, 0x83, 0x07, 0x03);                /* lock addl */
    EXPECT(0x8000, 4, R, 0x83, 0x3f, 0x03);                       /* cmpl */
    EXPECT(0x8000, 16, R, 0x0f, 0x10, 0x07);                      /* movups */
    EXPECT(0x8000, 4, R, 0xf3, 0x0f, 0x10, 0x07);                 /* movss */
    EXPECT(0x8000, 8, W, 0xf2, 0x0f, 0x11, 0x07);                 /* movsd */
    EXPECT(0x8000, 8, W, 0x66, 0x0f, 0xd6, 0x07);                 /* movq */
    EXPECT(0x8000, 32, R, 0xc5, 0xfe, 0x6f, 0x07);                /* vmovdqu ymm */
    EXPECT(0x10000, 16, R, 0xc4, 0xc1, 0x7a, 0x6f, 0x07);         /* vmovdqu (%r15),xmm */
    EXPECT(0x8000, 64, R, 0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x07);    /* vmovdqu64 zmm */
    EXPECT(0x8040, 64, R, 0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x47, 1); /* 64(%rdi): one unit */
    EXPECT(0x8008, 8, R, 0x62, 0xf1, 0xfd, 0x58, 0x58, 0x47, 1);  /* vaddpd, one broadcast */
    EXPECT(0x8000, 4, R, 0x66, 0x0f, 0x38, 0x31, 0x07);           /* pmovzxbd */
    EXPECT(0x8000, 16, RW, 0x48, 0x0f, 0xc7, 0x0f);               /* cmpxchg16b */
    EXPECT(0x8000, 10, R, 0xdb, 0x2f);                            /* fldt */
    EXPECT(0x8000, 0, 0, 0x48, 0x8d, 0x07);                       /* lea: an address alone */
    EXPECT(0x8000, 4, R, 0x69, 0x07, 1, 0, 0, 0);                 /* imul with four bytes */
    EXPECT(0x8000, 2, R, 0x66, 0x69, 0x07, 1, 0);                 /* and with two */
    EXPECT(0x8000, 8, R, 0xc4, 0xe2, 0xf3, 0xf5, 0x07);           /* pdep */
}

static void stack_and_strings(void) {
    struct x86_instruction i;
    EXPECT(0x5000 - 8, 8, W, 0x41, 0x57);              /* push %r15 */
    EXPECT(0x5000, 8, R, 0x58);                        /* pop %rax */
    EXPECT(0x6000, 8, R, 0xc9);                        /* leave */
    EXPECT(0x5000 + 16, 8, W, 0x8f, 0x44, 0x24, 0x08); /* pop 8(%rsp): of the new rsp */
    DECODE(&i, 0xf3, 0x48, 0xa5);                      /* rep movsq */
    CHECK(i.repeated && i.memories == 2 && i.memory[0].width == 8);
    CHECK(i.memory[0].base == X86_RSI && i.memory[0].access == R);
    CHECK(i.memory[1].base == X86_RDI && i.memory[1].access == W);
    DECODE(&i, 0xf3, 0xaa); /* rep stosb */
    CHECK(i.repeated && i.memories == 1 && i.memory[0].access == W && i.memory[0].width == 1);
    DECODE(&i, 0xf3, 0x0f, 0x10, 0x07);
    CHECK(!i.repeated);
    DECODE(&i, 0xff, 0x37); /* push (%rdi) */
    CHECK(i.memories == 2 && i.memory[0].access == R && i.memory[1].access == W);
}

static void vectors(void) {
    struct x86_instruction i;
    DECODE(&i, 0x62, 0xf1, 0xfe, 0x49, 0x6f, 0x07); /* vmovdqu64 with a mask */
    CHECK(i.memory[0].partial && i.memory[0].width == 64);
    DECODE(&i, 0xc4, 0xe2, 0x75, 0x2c, 0x07); /* vmaskmovps */
    CHECK(i.memory[0].partial && i.memory[0].width == 32);
    DECODE(&i, 0xc4, 0xe2, 0x6d, 0x90, 0x04, 0x8f); /* vpgatherdd %ymm2,(%rdi,%ymm1,4),%ymm0 */
    CHECK(i.memory[0].vector && i.memory[0].index == 1 && i.memory[0].width == 4);
    DECODE(&i, 0x66, 0x0f, 0xf7, 0xc1); /* maskmovdqu */
    CHECK(i.memory[0].partial && i.memory[0].base == X86_RDI && i.memory[0].width == 16);
}

static void branches(void) {
    struct x86_instruction i;
    DECODE(&i, 0xe8, 0xfb, 0xff, 0xff, 0xff);
    CHECK(i.kind == X86_CALL && i.direct && i.immediate == -5 && i.memory[0].access == W);
    DECODE(&i, 0xff, 0xd0); /* call *%rax */
    CHECK(i.kind == X86_CALL && !i.direct && i.memories == 1);
    DECODE(&i, 0xff, 0x17); /* call *(%rdi) */
    CHECK(i.kind == X86_CALL && !i.direct && i.memories == 2 && i.memory[0].width == 8);
    DECODE(&i, 0x3e, 0xff, 0xe0); /* notrack jmp *%rax */
    CHECK(i.kind == X86_JUMP && !i.direct);
    DECODE(&i, 0x74, 0x80);
    CHECK(i.kind == X86_CONDITIONAL && i.direct && i.immediate == -128);
    DECODE(&i, 0xc3);
    CHECK(i.kind == X86_RETURN && i.memory[0].base == X86_RSP && i.memory[0].access == R);
    DECODE(&i, 0x0f, 0x05);
    CHECK(i.kind == X86_SYSTEM_CALL);
    DECODE(&i, 0x0f, 0x0b);
    CHECK(i.kind == X86_TRAP);
}

static void unknown(void) {
    UNKNOWN(0x0f);                /* cut off */
    UNKNOWN(0x8b, 0x80, 1, 2);    /* in the displacement */
    UNKNOWN(0xc7, 0x03, 1, 0, 0); /* in the immediate */
    UNKNOWN(0x62, 0xf1);          /* in the prefix */
    UNKNOWN(0x48);
    UNKNOWN(0x06); /* not in 64-bit code */
    UNKNOWN(0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
            0x66, 0x90); /* longer than any */
    struct x86_instruction instruction;
    CHECK(!x86_decode(NULL, 0, &instruction));
}

/* Random bytes, with the beginnings that lead into every table; nothing is read behind the end. */
static void random_bytes(void) {
    static const uint8_t starts[] = {0x62, 0xc4, 0xc5, 0x8f, 0x0f, 0x66, 0xf2, 0xf3, 0x48, 0x67};
    for (int round = 0; round < 1000000; round++) {
        unsigned size = (unsigned)unit_below(20);
        uint8_t *code = malloc(size + !size);
        for (unsigned i = 0; i < size; i++) code[i] = (uint8_t)unit_random();
        if (size && round % 2) code[0] = starts[unit_below(sizeof starts)];
        struct x86_instruction i;
        int known = x86_decode(code, size, &i);
        free(code);
        CHECK(known == (i.length > 0) && i.length <= size && i.length <= X86_LENGTH_MOST);
        CHECK(i.memories <= X86_MEMORIES);
        for (unsigned m = 0; m < i.memories; m++) x86_address(&i, &i.memory[m], &registers);
    }
}

int main(void) {
    for (unsigned i = 0; i < 16; i++) registers.general[i] = 0x1000ull * (i + 1);
    addresses();
    widths();
    stack_and_strings();
    vectors();
    branches();
    unknown();
    random_bytes();
    return 0;
}
