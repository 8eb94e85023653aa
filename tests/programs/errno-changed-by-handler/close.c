// A handler closes a descriptor that is none.
// RUN: options --halt --enable errno-changed-by-handler
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t ticks;
static volatile unsigned sum;

static void on_tick(int number) { // EXPECT errno-changed-by-handler
    (void)number;
    if (close(-1)) ticks++;
}

int main(void) {
    struct sigaction action = {.sa_handler = on_tick};
    struct itimerval every = {{0, 10000}, {0, 10000}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    while (ticks < 3)
        for (unsigned i = 0; i < 1000; i++) sum += i;
    return 0;
}
