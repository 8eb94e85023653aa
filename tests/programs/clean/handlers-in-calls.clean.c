// Handlers that print and change errno where they interrupt nothing: the program waits for their
// signals, or sends them to itself; and one that is left by siglongjmp.
// RUN: options --halt --enable signals
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t ticks;
static volatile unsigned sum;
static sigjmp_buf out;

static void on_signal(int number) {
    printf("signal %d\n", number);
    free(malloc(20));
    errno = ERANGE;
    ticks++;
}

static void on_jump(int number) {
    (void)number;
    siglongjmp(out, 1);
}

static int deeper(int depth) {
    char *text = malloc(20);
    if (!text) return 0;
    memset(text, 'a' + depth, 19);
    text[19] = 0;
    int length = depth ? deeper(depth - 1) : (int)strlen(text);
    free(text);
    return length;
}

int main(void) {
    struct sigaction action = {.sa_handler = on_signal}, now;
    sigset_t blocked, open;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &blocked, &open);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR1, NULL, &now);
    if (now.sa_handler != on_signal || now.sa_flags & SA_SIGINFO) return 2;
    kill(getpid(), SIGUSR1);
    sigsuspend(&open);
    sigprocmask(SIG_SETMASK, &open, NULL);
    raise(SIGUSR1);
    if (signal(SIGUSR1, SIG_DFL) != on_signal || signal(SIGVTALRM, on_jump) != SIG_DFL) return 3;
    if (!sigsetjmp(out, 1)) {
        struct itimerval once = {{0, 0}, {0, 10000}};
        setitimer(ITIMER_VIRTUAL, &once, NULL);
        for (;;) sum++;
    }
    if (signal(SIGVTALRM, SIG_IGN) != on_jump) return 4;
    printf("%d\n", deeper(10));
    return ticks != 2;
}
