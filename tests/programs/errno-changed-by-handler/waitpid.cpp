// A handler waits for children until there is none.
// RUN: options --halt --enable errno-changed-by-handler
#include <cerrno>
#include <csignal>
#include <sys/time.h>
#include <sys/wait.h>

static volatile std::sig_atomic_t ticks;
static volatile unsigned sum;

struct KeepErrno {
    int saved = errno;
    ~KeepErrno() { errno = saved; }
};

static void on_child(int) { // EXPECT errno-changed-by-handler
    while (waitpid(-1, nullptr, WNOHANG) > 0) {}
    ticks = ticks + 1;
}

int main() {
    struct itimerval every = {{0, 10000}, {0, 10000}};
    std::signal(SIGVTALRM, on_child);
    setitimer(ITIMER_VIRTUAL, &every, nullptr);
    while (ticks < 3) {
        for (unsigned i = 0; i < 1000; i++) sum = sum + i;
    }
    return 0;
}
