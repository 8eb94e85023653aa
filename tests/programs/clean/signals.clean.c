// Signal handlers on an alternative stack that lies on the heap, nested, with siglongjmp out of
// them.
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sigjmp_buf back;
static char *volatile block;
static volatile sig_atomic_t handled;

static void on_signal(int number, siginfo_t *info, void *context) {
    char local[500];
    memset(local, number, sizeof local);
    block[handled % 10] = local[499];
    if (++handled < 5)
        raise(SIGUSR2);
}

static void on_alarm(int number) {
    siglongjmp(back, number);
}

int main(void) {
    size_t size = 1 << 16;
    stack_t stack = {malloc(size), 0, size}, old;
    sigaltstack(&stack, &old);
    block = malloc(10);
    struct sigaction action = {0};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    raise(SIGUSR1);
    signal(SIGALRM, on_alarm);
    char *volatile mine = malloc(50);
    if (sigsetjmp(back, 1) == 0) {
        alarm(1);
        raise(SIGALRM);
        return 1;
    }
    alarm(0);
    mine[49] = 1;
    free(mine);
    free(block);
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, NULL);
    free(stack.ss_sp);
    return handled != 5;
}
