// The program allocates itself when the handler has counted.
// RUN: options --halt --enable call-unsafe-in-signal-handler
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks;
static volatile unsigned sum;
static char *volatile line;

static void on_tick(int number) {
    (void)number;

    ticks++;
}

int main(void) {
    struct sigaction action = {.sa_handler = on_tick};
    struct itimerval every = {{0, 10000}, {0, 10000}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    while (ticks < 3)
        for (unsigned i = 0; i < 1000; i++) sum += i;
    every.it_value.tv_usec = every.it_interval.tv_usec = 0;
    setitimer(ITIMER_REAL, &every, NULL);
    line = malloc(80);
    free(line);
    return 0;
}
