#include "tool.h"

/* An instruction sequence that does nothing, in which Valgrind's core sees a request (its manual,
 * "The Client Request mechanism"): rax holds the address of its number and five words, and rdx the
 * answer of a process that nothing executes. */
uint64_t tool_ask(uint64_t number, uint64_t first, uint64_t second) {
    volatile uint64_t words[6] = {number, first, second, 0, 0, 0};
    uint64_t answer = 0;
    __asm__ volatile("rolq $3, %%rdi\n\t"
                     "rolq $13, %%rdi\n\t"
                     "rolq $61, %%rdi\n\t"
                     "rolq $51, %%rdi\n\t"
                     "xchgq %%rbx, %%rbx"
                     : "+d"(answer)
                     : "a"(&words[0])
                     : "cc", "memory");
    return answer;
}
