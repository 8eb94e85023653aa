// A handler of three arguments restores errno.
// RUN: options --halt --enable errno-changed-by-handler
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t ticks;
static volatile unsigned sum;

static void on_tick(int number, siginfo_t *info, void *machine) {
    (void)number, (void)machine;
    int saved = errno;
    char *end;
    if (info->si_signo == SIGALRM && strtol("99999999999999999999", &end, 10)) ticks++;
    errno = saved;
}

int main(void) {
    struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct itimerval every = {{0, 10000}, {0, 10000}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    while (ticks < 3)
        for (unsigned i = 0; i < 1000; i++) sum += i;
    return 0;
}
