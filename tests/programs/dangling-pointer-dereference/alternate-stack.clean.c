// The handler of a stack overflow, on an alternate stack, writes its report into a buffer.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sigjmp_buf back;
static char *volatile report;

static void on_overflow(int number, siginfo_t *info, void *context) {
    report[0] = (char)number;
    siglongjmp(back, 1);
}

static int deep(int n) {
    volatile char room[1 << 16];
    room[0] = (char)n;
    return n < 0 ? 0 : deep(n + 1) + room[0];
}

int main(void) {
    stack_t alternate = {malloc(SIGSTKSZ), 0, SIGSTKSZ}, none = {NULL, SS_DISABLE, 0};
    struct sigaction action = {0};
    sigaltstack(&alternate, NULL);
    action.sa_sigaction = on_overflow;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, NULL);
    report = malloc(100);
    char *const mine = report;
    if (sigsetjmp(back, 1) == 0)
        deep(0);
    sigaltstack(&none, NULL);
    free(alternate.ss_sp);
    free(mine);
    return 0;
}
