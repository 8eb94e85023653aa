// Handlers of signals read what was stored before they were installed, or before the signal was sent.
// RUN: options --enable races
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static int limit, message;
static volatile sig_atomic_t bad;
static atomic_int handled;

static void on_signal(int number) {
    if (limit != 3 || (number == SIGUSR2 && message != 4)) bad = 1;
    atomic_fetch_add_explicit(&handled, 1, memory_order_relaxed);
}

static void *wait_for_signals(void *unused) {
    (void)unused;
    while (atomic_load_explicit(&handled, memory_order_relaxed) < 2) usleep(100);
    return 0;
}

int main(void) {
    struct sigaction action;
    pthread_t thread;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    if (pthread_create(&thread, 0, wait_for_signals, 0)) return 2;
    limit = 3;
    if (sigaction(SIGUSR1, &action, 0)) return 2;
    pthread_kill(thread, SIGUSR1);
    while (atomic_load_explicit(&handled, memory_order_relaxed) < 1) usleep(100);
    if (signal(SIGUSR2, on_signal) == SIG_ERR) return 2;
    message = 4;
    pthread_kill(thread, SIGUSR2);
    pthread_join(thread, 0);
    return bad;
}
