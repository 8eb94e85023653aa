/* Functions that a resolver chooses (ifunc, target_clones), in instrumented images: the dynamic
 * linker would call resolvers before the runtime has begun. A constructor chooses, or a call that
 * comes before it, as from code of .preinit_array (whence.instrument.calls.indirect). */
#include "entry.h"
#include "../include/whence/link.h"
#include "../os/mem.h"

WH_EXPORT void __whence_resolve(struct indirect_function *each) {
    void *(*resolver)(void) = __atomic_load_n(&each->resolver, __ATOMIC_ACQUIRE);
    if (!resolver) return;
    __atomic_store_n(&each->target, resolver(), __ATOMIC_RELEASE);
    __atomic_store_n(&each->resolver, NULL, __ATOMIC_RELEASE);
}

/* Keeps all registers in which the call passes arguments; the struct is in r11. */
FRAMED_ENTRY("__whence_first_call", "    push %rax\n"
                                    "    push %rdi\n"
                                    "    push %rsi\n"
                                    "    push %rdx\n"
                                    "    push %rcx\n"
                                    "    push %r8\n"
                                    "    push %r9\n"
                                    "    push %r10\n"
                                    "    push %r11\n"
                                    "    sub $136, %rsp\n"
                                    "    movups %xmm0, (%rsp)\n"
                                    "    movups %xmm1, 16(%rsp)\n"
                                    "    movups %xmm2, 32(%rsp)\n"
                                    "    movups %xmm3, 48(%rsp)\n"
                                    "    movups %xmm4, 64(%rsp)\n"
                                    "    movups %xmm5, 80(%rsp)\n"
                                    "    movups %xmm6, 96(%rsp)\n"
                                    "    movups %xmm7, 112(%rsp)\n"
                                    "    mov %r11, %rdi\n"
                                    "    call __whence_resolve\n"
                                    "    movups (%rsp), %xmm0\n"
                                    "    movups 16(%rsp), %xmm1\n"
                                    "    movups 32(%rsp), %xmm2\n"
                                    "    movups 48(%rsp), %xmm3\n"
                                    "    movups 64(%rsp), %xmm4\n"
                                    "    movups 80(%rsp), %xmm5\n"
                                    "    movups 96(%rsp), %xmm6\n"
                                    "    movups 112(%rsp), %xmm7\n"
                                    "    add $136, %rsp\n"
                                    "    pop %r11\n"
                                    "    pop %r10\n"
                                    "    pop %r9\n"
                                    "    pop %r8\n"
                                    "    pop %rcx\n"
                                    "    pop %rdx\n"
                                    "    pop %rsi\n"
                                    "    pop %rdi\n"
                                    "    pop %rax\n"
                                    "    pop %rbp\n"
                                    "    .cfi_def_cfa %rsp, 8\n"
                                    "    jmp *(%r11)\n");
