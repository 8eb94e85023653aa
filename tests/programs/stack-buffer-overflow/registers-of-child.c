// The kernel writes the registers of a child behind the variable that is to take them.
// RUN: options --keep-going
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    struct user_regs_struct *volatile to, registers[2];
    siginfo_t info;
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        _exit(0);
    }
    waitpid(child, 0, 0);
    to = registers;
    if (ptrace(PTRACE_GETSIGINFO, child, 0, &info) || info.si_signo != SIGSTOP) return 1;
    if (ptrace(PTRACE_GETREGS, child, 0, to)) return 2;
    unsigned long rip = registers[0].rip;
    struct iovec part = {to + 1, 2 * sizeof *to}; /* what arrives is less */
    if (ptrace(PTRACE_GETREGSET, child, 1, &part) || part.iov_len != sizeof *to) return 3;
    if (registers[1].rip != rip || ptrace(PTRACE_PEEKTEXT, child, rip, 0) == 0) return 4;
    to = (struct user_regs_struct *)((char *)registers + sizeof *registers + 8);
    ptrace(PTRACE_GETREGS, child, 0, to); // EXPECT stack-buffer-overflow write 216 after 0
    ptrace(PTRACE_KILL, child, 0, 0);
    return 0;
}
