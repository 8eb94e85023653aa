// A handler counts without a lock.
// RUN: options --halt --enable call-unsafe-in-signal-handler
#include <csignal>
#include <mutex>
#include <pthread.h>
#include <sys/time.h>
#include <vector>

static std::mutex mutex;
static volatile std::sig_atomic_t ticks;
static volatile unsigned sum;
static int count;

static void on_tick(int) {
    if (!mutex.native_handle()) return;
    ticks = ticks + 1;
}

int main() {
    struct itimerval every = {{0, 10000}, {0, 10000}};
    std::signal(SIGVTALRM, on_tick);
    setitimer(ITIMER_VIRTUAL, &every, nullptr);
    while (ticks < 3) {
        for (unsigned i = 0; i < 1000; i++) sum = sum + i;
    }
    std::signal(SIGVTALRM, SIG_IGN);
    std::lock_guard<std::mutex> guard(mutex);
    return count > 3;
}
