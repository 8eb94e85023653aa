/* Entry points in assembly. */
#ifndef WHENCE_RT_ENTRY_H
#define WHENCE_RT_ENTRY_H

/* A function whose frame a walk of the stack goes through; `body` leaves the frame and returns. */
#define FRAMED_ENTRY(name, body)                                                                   \
    __asm__(".text\n"                                                                              \
            ".globl " name "\n"                                                                    \
            ".type " name ", @function\n" name ":\n"                                               \
            ".cfi_startproc\n"                                                                     \
            "    push %rbp\n"                                                                      \
            "    .cfi_def_cfa_offset 16\n"                                                         \
            "    .cfi_offset %rbp, -16\n"                                                          \
            "    mov %rsp, %rbp\n"                                                                 \
            "    .cfi_def_cfa_register %rbp\n" body ".cfi_endproc\n"                               \
            ".size " name ", .-" name "\n")

/* An entry point that generated code calls on its cold paths. The convention is LLVM's
 * preserve_most: every general register but r11 is kept, vector registers are the caller's.
 * `function` gets the three arguments and the entry's frame, where the stack of a finding starts;
 * a fifth and a sixth argument are passed on behind the frame, which takes the place of the fourth.
 * Debuggers find the registers by the call frame information: variables of the program live in
 * them.
 */
#define KEEPING_ENTRY(name, function)                                                              \
    FRAMED_ENTRY(name, "    push %rax\n"                                                           \
                       "    .cfi_offset %rax, -24\n"                                               \
                       "    push %rcx\n"                                                           \
                       "    .cfi_offset %rcx, -32\n"                                               \
                       "    push %rdx\n"                                                           \
                       "    .cfi_offset %rdx, -40\n"                                               \
                       "    push %rsi\n"                                                           \
                       "    .cfi_offset %rsi, -48\n"                                               \
                       "    push %rdi\n"                                                           \
                       "    .cfi_offset %rdi, -56\n"                                               \
                       "    push %r8\n"                                                            \
                       "    .cfi_offset %r8, -64\n"                                                \
                       "    push %r9\n"                                                            \
                       "    .cfi_offset %r9, -72\n"                                                \
                       "    push %r10\n"                                                           \
                       "    .cfi_offset %r10, -80\n"                                               \
                       "    mov %rbp, %rcx\n"                                                      \
                       "    cld\n"                                                                 \
                       "    and $-16, %rsp\n"                                                      \
                       "    call " function "\n"                                                   \
                       "    lea -64(%rbp), %rsp\n"                                                 \
                       "    pop %r10\n"                                                            \
                       "    pop %r9\n"                                                             \
                       "    pop %r8\n"                                                             \
                       "    pop %rdi\n"                                                            \
                       "    pop %rsi\n"                                                            \
                       "    pop %rdx\n"                                                            \
                       "    pop %rcx\n"                                                            \
                       "    pop %rax\n"                                                            \
                       "    pop %rbp\n"                                                            \
                       "    .cfi_def_cfa %rsp, 8\n"                                                \
                       "    ret\n")

#endif
