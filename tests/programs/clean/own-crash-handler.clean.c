// A program probes memory that is not mapped and recovers in its own handler of SIGSEGV, as garbage
// collectors do.
// Memcheck reports this: it does not know that the fault is expected
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

static sigjmp_buf back;
static volatile sig_atomic_t faults;

static void on_fault(int number, siginfo_t *info, void *context) {
    faults++;
    siglongjmp(back, 1);
}

int main(void) {
    char *p = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct sigaction action = {0};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, NULL);
    for (int i = 0; i < 3; i++)
        if (sigsetjmp(back, 1) == 0)
            *(volatile char *)(p + 100) = 1;
    mprotect(p, 4096, PROT_READ | PROT_WRITE);
    p[100] = 1;
    return faults != 3;
}
