#include "paths.h"
#include "rewind.h"
#include "standing.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../os/text.h"
#include "../port/port.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of the state: a path runs, none does, or it is killed for its time. */
enum { RUNS, IDLE, KILLED };

struct path_run *paths_now(void) { return STANDING(STANDING_RUN); }

/* A process whose first path could not be rewound has cost more than a fork. After some of them in
 * a row, paths have processes of their own for a while. */
#define LONELY_MOST 3u
#define APART 64u

int paths_reserve(void) {
    return rewind_reserve() && !os_map_shared((uintptr_t)paths_now(), -1, OS_PAGE, 0);
}

void paths_begin(uint64_t number, uint64_t milliseconds, uint32_t flags) {
    struct path_run *now = paths_now();
    now->number = number;
    now->milliseconds = milliseconds;
    now->flags = flags;
    now->begun = os_now_us();
    __atomic_store_n(&now->state, RUNS, __ATOMIC_RELEASE);
}

/* Of the end of a path and the end of its time one comes first. */
static int claim(uint32_t state) {
    uint32_t runs = RUNS;
    return __atomic_compare_exchange_n(&paths_now()->state, &runs, state, 0, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

void paths_end(void) {
    while (!claim(IDLE)) os_sleep_us(1000000); /* it is being killed */
    paths_now()->ended++;
}

int paths_was_cut(void) { return __atomic_load_n(&paths_now()->state, __ATOMIC_ACQUIRE) != IDLE; }

/* Milliseconds until the time of the path may be over; -1: never, 0: it is. While none runs, it is
 * looked for one often enough. */
static int left(void) {
    const struct path_run *now = paths_now();
    uint64_t most = now->milliseconds, gone = (os_now_us() - now->begun) / 1000;
    if (!most) return -1;
    if (__atomic_load_n(&now->state, __ATOMIC_ACQUIRE) == IDLE) return (int)(most / 4 + 1);
    return gone < most ? (int)(most - gone) : 0;
}

/* Waits for the end of the process, or of the time of the path that it runs. 0: that is over. */
static int ends_in_time(pid_t child) {
    int handle = (int)os_call(SYS_pidfd_open, child, 0, 0, 0, 0, 0);
    if (handle < 0) return 1;
    struct pollfd wait = {.fd = handle, .events = POLLIN};
    int ended = 0, over = 0;
    while (!ended && !over) {
        int most = left();
        ended = poll(&wait, 1, most) > 0;
        over = !ended && most == 0 && left() == 0 && claim(KILLED);
    }
    os_close(handle);
    return ended;
}

/* Whether a process sleeps: /proc says so behind its name, which may have parentheses. */
static int is_asleep(pid_t process) {
    TEXT(path, 64);
    char stat[512];
    text_put(&path, "/proc/");
    text_decimal(&path, (uint64_t)process);
    text_put(&path, "/stat");
    text_put_n(&path, "", 1);
    int file = os_open(path.begin, OS_OPEN_READ);
    if (file < 0) return 0;
    long size = os_read(file, stat, sizeof stat);
    os_close(file);
    for (long at = size - 3; at >= 0; at--)
        if (stat[at] == ')') return stat[at + 2] == 'S';
    return 0;
}

void paths_await(pid_t child, struct wh_explore_answer *answer) {
    int status = 0;
    if (!ends_in_time(child)) {
        answer->late = is_asleep(child) ? 2 : 1;
        os_signal_process((uint32_t)child, SIGKILL);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    answer->number = paths_now()->number;
    answer->pid = (uint32_t)child;
    answer->status = (uint32_t)status;
}

/* Since glibc 2.34. */
extern pid_t _Fork(void) __attribute__((weak));

/* The only thread of a process holds no lock, and the program is not to see that a path is a child:
 * so neither locks are taken nor are handlers called, which would cost as much as the fork, in
 * pages that are touched. */
pid_t paths_fork(void (*forked)(void)) {
    if (os_has_threads() || !_Fork) return port_fork();
    pid_t child = _Fork();
    if (!child) forked();
    return child;
}

int paths_run_many(void) {
    static uint32_t lonely, apart;
    if (apart) return --apart, 0;
    lonely = paths_now()->ended ? 0 : lonely + 1;
    paths_now()->ended = 0;
    if (lonely <= LONELY_MOST) return 1;
    lonely = 0, apart = APART;
    return 0;
}
