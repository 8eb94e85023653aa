#include "trace.h"
#include "os.h"

#include <errno.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

#ifndef PR_SET_PTRACER
#define PR_SET_PTRACER 0x59616d61
#endif

_Static_assert(sizeof(struct user_regs_struct) == sizeof((struct os_registers *)0)->general,
               "general registers");
_Static_assert(sizeof(struct user_fpregs_struct) == sizeof((struct os_registers *)0)->vector,
               "vector registers");

/* ---- the helper ---- */

#define HELPER_FLAGS (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_UNTRACED)

long os_helper_start(void (*run)(void *), void *argument, uintptr_t stack_end) {
    uintptr_t *stack = (uintptr_t *)(stack_end & ~(uintptr_t)15);
    *--stack = (uintptr_t)argument;
    *--stack = (uintptr_t)run;
    const uint64_t words[6] = {HELPER_FLAGS, (uint64_t)stack};
    if (!os_may_call(SYS_clone, words)) return -EPERM;
    long result;
    __asm__ volatile("xor %%edx, %%edx\n"
                     "xor %%r10d, %%r10d\n"
                     "xor %%r8d, %%r8d\n"
                     "syscall\n"
                     "test %%rax, %%rax\n"
                     "jnz 1f\n"
                     "xor %%ebp, %%ebp\n" /* the new process, on its own stack */
                     "pop %%rax\n"
                     "pop %%rdi\n"
                     "call *%%rax\n"
                     "xor %%edi, %%edi\n"
                     "mov %[exit], %%eax\n"
                     "syscall\n"
                     "ud2\n"
                     "1:\n"
                     : "=a"(result)
                     : "a"(SYS_clone), "D"(HELPER_FLAGS), "S"(stack), [exit] "i"(SYS_exit)
                     : "rdx", "r8", "r10", "rcx", "r11", "memory");
    return result;
}

void os_helper_wait(long helper) {
    long result;
    do result = os_call(SYS_wait4, helper, 0, __WALL, 0, 0, 0);
    while (result == -EINTR);
}

int os_helper_ended(long helper) {
    return os_call(SYS_wait4, helper, 0, __WALL | WNOHANG, 0, 0, 0) != 0;
}

int os_helper_bind(uint32_t parent) {
    os_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
    return os_call(SYS_getppid, 0, 0, 0, 0, 0, 0) == (long)parent;
}

void os_helper_allow(long helper) { os_call(SYS_prctl, PR_SET_PTRACER, helper, 0, 0, 0, 0); }

/* ---- registers ---- */

static const struct user_regs_struct *general(const struct os_registers *registers) {
    return (const struct user_regs_struct *)registers->general;
}

uint64_t os_registers_pc(const struct os_registers *registers) { return general(registers)->rip; }

uint64_t os_registers_sp(const struct os_registers *registers) { return general(registers)->rsp; }

uint64_t os_registers_tls(const struct os_registers *registers) {
    return general(registers)->fs_base;
}

/* ---- threads ---- */

static long trace(long request, uint32_t thread, long address, const void *data) {
    return os_call(SYS_ptrace, request, (long)thread, address, (long)data, 0, 0);
}

long os_trace_stop(uint32_t thread) {
    long result = trace(PTRACE_SEIZE, thread, 0, NULL);
    return result < 0 ? result : trace(PTRACE_INTERRUPT, thread, 0, NULL);
}

long os_trace_stands(uint32_t thread, int *signal) {
    int status = 0;
    long result =
        os_call(SYS_wait4, (long)thread, (long)&status, __WALL | WNOHANG | __WNOTHREAD, 0, 0, 0);
    if (result <= 0) return result == -EINTR ? 0 : result;
    if (!WIFSTOPPED(status)) return -ESRCH;
    int event = status >> 16;
    *signal = event ? 0 : WSTOPSIG(status);
    return 1;
}

long os_trace_registers(uint32_t thread, struct os_registers *registers) {
    long result = trace(PTRACE_GETREGS, thread, 0, registers->general);
    return result < 0 ? result : trace(PTRACE_GETFPREGS, thread, 0, registers->vector);
}

void os_trace_go(uint32_t thread, int signal) {
    os_call(SYS_ptrace, PTRACE_DETACH, (long)thread, 0, signal, 0, 0);
}

int os_traced(void) {
    static const char name[] = "TracerPid:\t";
    char status[4096];
    long size = os_read_file("/proc/self/status", status, sizeof status - 1);
    if (size <= 0) return 0;
    status[size] = 0;
    for (const char *at = status; *at; at++) {
        size_t same = 0;
        while (name[same] && at[same] == name[same]) same++;
        if (!name[same]) return at[same] != '0';
    }
    return 0;
}
