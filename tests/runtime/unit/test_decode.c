/* modules: rt/decode */
#include "../../../runtime/rt/decode.h"
#include "unit.h"

static struct decode_registers registers;

#define DECODE(expected, ...)                                                                      \
    do {                                                                                           \
        const uint8_t code[] = {__VA_ARGS__};                                                      \
        uint64_t address = 0;                                                                      \
        CHECK(decode_operand(code, sizeof code, &registers, 0x400000, &address));                  \
        CHECK_EQUAL(address, expected);                                                            \
    } while (0)

#define NOTHING(...)                                                                               \
    do {                                                                                           \
        const uint8_t code[] = {__VA_ARGS__};                                                      \
        uint64_t address;                                                                          \
        CHECK(!decode_operand(code, sizeof code, &registers, 0x400000, &address));                 \
    } while (0)

int main(void) {
    for (unsigned i = 0; i < 16; i++) registers.general[i] = 0x1000ull * (i + 1);
    DECODE(0x1000, 0x8b, 0x00);             /* mov (%rax),%eax */
    DECODE(0x4000, 0xc7, 0x03, 1, 0, 0, 0); /* movl $1,(%rbx) */
    DECODE(0x7ff8, 0x48, 0x8b, 0x4f, 0xf8); /* mov -8(%rdi),%rcx */
    DECODE(0xd000 + 0x12345678, 0x49, 0x8b, 0x84, 0x24, 0x78, 0x56, 0x34, 0x12); /* …(%r12),%rax */
    DECODE(0x1000 + 8 * 0x2000, 0x48, 0x89, 0x14, 0xc8);              /* mov %rdx,(%rax,%rcx,8) */
    DECODE(0x10 + 4 * 0xa000, 0x42, 0x8b, 0x04, 0x8d, 0x10, 0, 0, 0); /* mov 0x10(,%r9,4),%eax */
    DECODE(0x1000 + 0xd000, 0x42, 0x8a, 0x04, 0x20);                  /* mov (%rax,%r12),%al */
    DECODE(0x5000 + 16, 0x8b, 0x44, 0x24, 0x10);                      /* mov 0x10(%rsp),%eax */
    DECODE(0x400000 + 7 + 0x100, 0x48, 0x8b, 0x05, 0, 1, 0, 0);       /* mov 0x100(%rip),%rax */
    DECODE(0x7000, 0x66, 0x0f, 0x6f, 0x06);                           /* movdqa (%rsi),%xmm0 */
    DECODE(0x2000 + 0x7fff8000, 0x80, 0xb9, 0x00, 0x80, 0xff, 0x7f,
           0x00);                                 /* a check of the plane */
    DECODE(0x9000, 0xf3, 0x41, 0x0f, 0x11, 0x00); /* movss %xmm0,(%r8) */
    NOTHING(0xc3);                                /* ret */
    NOTHING(0x48, 0x89, 0xc8);                    /* between registers */
    NOTHING(0x0f);                                /* cut off */
    NOTHING(0x8b, 0x80, 1, 2);                    /* cut off in the displacement */
    NOTHING(0xf4);                                /* hlt */
    NOTHING(0);
    return 0;
}
