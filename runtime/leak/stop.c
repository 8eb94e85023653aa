#include "stop.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../os/text.h"
#include "../port/port.h"

#include <errno.h>
#include <signal.h>
#include <ucontext.h>

#define THREADS_MOST 32768u
/* A tool lets one thread at a time run. */
#define PATIENCE_US (PORT_OBSERVED ? 5000000u : 500000u)
#define ROOM (THREADS_MOST * sizeof(struct parked))

int __sigaction(int, const struct sigaction *, struct sigaction *);

/* ---- which threads there are ---- */

/* Entries of /proc/self/task. */
struct entry {
    uint64_t inode, next;
    uint16_t length;
    uint8_t type;
    char name[];
};

static uint32_t number(const char *name) {
    uint32_t value = 0;
    for (; *name >= '0' && *name <= '9'; name++) value = value * 10 + (uint32_t)(*name - '0');
    return value;
}

static int open_process(uint32_t process, const char *file, enum os_open how) {
    TEXT(path, 64);
    text_put(&path, "/proc/");
    text_decimal(&path, process);
    text_put(&path, file);
    text_put_n(&path, "", 1);
    return os_open(path.begin, how);
}

/* The first thread of a process stays in the list after its end. Its state is
 * the letter behind its name, which is in parentheses. */
static int has_ended(uint32_t process, uint32_t tid) {
    char line[512];
    int file = tid == process ? open_process(process, "/stat", OS_OPEN_READ) : -1;
    if (file < 0) return 0;
    long size = os_read(file, line, sizeof line - 2);
    os_close(file);
    while (size > 0 && line[size - 1] != ')') size--;
    return size > 0 && line[size + 1] == 'Z';
}

/* One bit for each id a thread can have. */
#define IDS_MOST (1u << 22)
static uint64_t *listed;

static int list_once(uint32_t tid) {
    uint64_t bit = 1ull << tid % 64;
    if (!tid || tid >= IDS_MOST || (listed[tid / 64] & bit)) return 0;
    listed[tid / 64] |= bit;
    return 1;
}

/* Adds the threads that are not listed yet; their number. */
static size_t list_threads(struct parking *parking, uint32_t process, uint32_t self) {
    size_t before = parking->count;
    int directory = open_process(process, "/task", OS_OPEN_DIRECTORY);
    if (directory < 0) return 0;
    uint64_t buffer[512];
    for (long n; (n = os_list(directory, buffer, sizeof buffer)) > 0;)
        for (long at = 0; at < n;) {
            const struct entry *entry = (const struct entry *)((const char *)buffer + at);
            at += entry->length;
            uint32_t tid = number(entry->name);
            if (!list_once(tid) || tid == self || parking->count == THREADS_MOST) continue;
            if (!has_ended(process, tid)) parking->threads[parking->count++].tid = tid;
        }
    os_close(directory);
    return parking->count - before;
}

static void count_missing(struct parking *parking) {
    parking->missing = 0;
    for (size_t i = 0; i < parking->count; i++) {
        const struct parked *parked = &parking->threads[i];
        if (parked->tid && !__atomic_load_n(&parked->stands, __ATOMIC_ACQUIRE)) parking->missing++;
    }
}

/* ---- as a debugger ---- */

#define HELPER_STACK (64ull << 10)

static struct {
    struct parking *parking;
    uint32_t process, searcher, state;
    uintptr_t thread_offset; /* from the thread pointer to the runtime's record of the thread */
} order;

enum { NOT_YET, ORDERED, STOPPED, REFUSED, RELEASED };

static void set_state(uint32_t state) {
    __atomic_store_n(&order.state, state, __ATOMIC_RELEASE);
    os_futex_wake(&order.state);
}

static void describe(struct parked *parked) {
    if (os_trace_registers(parked->tid, &parked->registers) < 0) return;
    parked->sp = os_registers_sp(&parked->registers);
    parked->pc = os_registers_pc(&parked->registers);
    uintptr_t thread = os_registers_tls(&parked->registers) + order.thread_offset;
    if (os_readable(thread) && ((const struct thread *)thread)->tid == parked->tid)
        parked->thread = (const struct thread *)thread;
    /* What lies below the stack pointer may still be in use. */
    parked->sp -= 128;
    __atomic_store_n(&parked->stands, 1, __ATOMIC_RELEASE);
}

/* Stops the threads from `first` on. 0 if tracing is not allowed at all; a
 * thread that is about to end refuses, too. */
static int stop_from(struct parking *parking, size_t first) {
    size_t stopped = first;
    for (size_t i = first; i < parking->count; i++) {
        long result = os_trace_stop(parking->threads[i].tid);
        if (result >= 0) stopped++;
        if ((result == -EPERM && !stopped) || result == -ENOSYS) return 0;
        if (result < 0) parking->threads[i].tid = 0; /* it has ended */
    }
    uint64_t end = os_now_us() + PATIENCE_US;
    for (size_t i = first; i < parking->count; i++) {
        struct parked *parked = &parking->threads[i];
        long result = 0;
        while (parked->tid && !(result = os_trace_stands(parked->tid, &parked->signal)) &&
               os_now_us() < end)
            os_sleep_us(20);
        if (result > 0) describe(parked);
        if (result < 0) parked->tid = 0;
    }
    return 1;
}

/* Runs in the helper. A thread that is running may start another one while we look. */
static void stop_all(void *unused) {
    (void)unused;
    struct parking *parking = order.parking;
    int allowed = 1;
    if (!os_helper_bind(order.process)) return; /* killed meanwhile: nobody would release us */
    while (__atomic_load_n(&order.state, __ATOMIC_ACQUIRE) == NOT_YET)
        os_futex_wait(&order.state, NOT_YET, 0);
    for (size_t first = 0; allowed; first = parking->count) {
        if (!list_threads(parking, order.process, order.searcher)) break;
        allowed = stop_from(parking, first);
    }
    set_state(allowed ? STOPPED : REFUSED);
    while (allowed && __atomic_load_n(&order.state, __ATOMIC_ACQUIRE) == STOPPED)
        os_futex_wait(&order.state, STOPPED, 0);
    for (size_t i = 0; i < parking->count; i++)
        if (parking->threads[i].stands)
            os_trace_go(parking->threads[i].tid, parking->threads[i].signal);
    /* Whoever did not stop in time is let go by our end. */
}

/* The helper's stack is kept: it is needed rarely, and few programs search often. */
static uintptr_t helper_stack(void) {
    static uintptr_t stack;
    if (!stack) stack = (uintptr_t)rt_private(HELPER_STACK);
    return stack;
}

/* Whether only ancestors may trace a process, unless it says otherwise. */
static int needs_permission(void) {
    char scope = '0';
    return os_read_file("/proc/sys/kernel/yama/ptrace_scope", &scope, 1) == 1 && scope == '1';
}

#define HELPER_LOOK_US 100000u

/* Waits until the helper has stopped the threads (1), cannot, or has ended (0). */
static int await_helper(const struct parking *parking) {
    while (__atomic_load_n(&order.state, __ATOMIC_ACQUIRE) == ORDERED) {
        os_futex_wait(&order.state, ORDERED, HELPER_LOOK_US);
        if (os_helper_ended(parking->helper)) return 0;
    }
    if (order.state == STOPPED) return 1;
    os_helper_wait(parking->helper);
    return 0;
}

static int stop_by_helper(struct parking *parking) {
    uintptr_t stack = helper_stack();
    if (!stack) return 0;
    order.parking = parking;
    order.process = os_process(); /* the helper is another one */
    order.searcher = os_thread();
    order.thread_offset = (uintptr_t)&thread_self - (uintptr_t)__builtin_thread_pointer();
    order.state = NOT_YET;
    uint64_t mask = 0;
    os_block_signals(~0ull, &mask); /* the helper inherits that: signals are for the program */
    parking->helper = os_helper_start(stop_all, NULL, stack + HELPER_STACK);
    os_restore_signals(mask);
    int started = parking->helper > 0;
    if (started && needs_permission()) os_helper_allow(parking->helper);
    set_state(ORDERED);
    if (started && await_helper(parking)) {
        count_missing(parking);
        return 1;
    }
    parking->helper = 0;
    for (size_t i = 0; i < parking->count; i++) parking->threads[i] = (struct parked){0};
    parking->count = 0;
    return 0;
}

static void release_by_helper(struct parking *parking) {
    set_state(RELEASED);
    os_helper_wait(parking->helper);
    if (needs_permission()) os_helper_allow(0);
    parking->helper = 0;
}

/* ---- by signals ---- */

/* The parking that is going on; `gate` changes when the threads may go. */
static struct parking *open_parking;
static uint32_t gate;

static void stand_still(int signal_number, siginfo_t *info, void *registers) {
    (void)signal_number;
    (void)info;
    struct parking *parking = __atomic_load_n(&open_parking, __ATOMIC_ACQUIRE);
    if (!parking) return;
    uint32_t closed = __atomic_load_n(&gate, __ATOMIC_ACQUIRE), tid = os_thread();
    for (size_t i = 0; i < parking->count; i++) {
        struct parked *self = &parking->threads[i];
        if (self->tid != tid) continue;
        /* The registers are on this stack, above this frame. */
        self->sp = (uintptr_t)__builtin_frame_address(0) - 256;
        self->pc = (uint64_t)((ucontext_t *)registers)->uc_mcontext.gregs[REG_RIP];
        self->thread = &thread_self;
        __atomic_store_n(&self->stands, 1, __ATOMIC_RELEASE);
        while (__atomic_load_n(&gate, __ATOMIC_ACQUIRE) == closed) os_futex_wait(&gate, closed, 0);
        /* The searcher waits for this before it gives the table back. */
        __atomic_store_n(&self->stands, 0, __ATOMIC_RELEASE);
        return;
    }
}

/* A real-time signal that the program does not use; 0 if there is none. The last one is a tool's.
 */
static int free_signal(struct sigaction *old) {
    for (int number_of = SIGRTMAX - PORT_OBSERVED; number_of > SIGRTMIN; number_of--)
        if (__sigaction(number_of, NULL, old) == 0 && old->sa_handler == SIG_DFL) return number_of;
    return 0;
}

static void await(struct parking *parking, uint32_t wanted) {
    uint64_t end = os_now_us() + PATIENCE_US;
    for (;;) {
        size_t late = 0;
        for (size_t i = 0; i < parking->count; i++)
            if (parking->threads[i].tid &&
                __atomic_load_n(&parking->threads[i].stands, __ATOMIC_ACQUIRE) != wanted)
                late++;
        if (!late || os_now_us() > end) break;
        os_sleep_us(50);
    }
    if (wanted) count_missing(parking);
}

static void stop_by_signals(struct parking *parking) {
    for (size_t i = 0; i < IDS_MOST / 64; i++) listed[i] = 0; /* the helper may have used it */
    list_threads(parking, os_process(), os_thread());
    struct sigaction old, action = {0};
    int stop_signal = parking->count ? free_signal(&old) : 0;
    if (!stop_signal) {
        parking->missing = parking->count;
        return;
    }
    action.sa_sigaction = stand_still;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigfillset(&action.sa_mask);
    __atomic_store_n(&open_parking, parking, __ATOMIC_RELEASE);
    __sigaction(stop_signal, &action, NULL);
    for (size_t i = 0; i < parking->count; i++)
        if (os_signal_thread(os_process(), parking->threads[i].tid, stop_signal) < 0)
            parking->threads[i].tid = 0; /* it has ended */
    await(parking, 1);
    /* The handler stays installed: a late signal must not kill the program. */
}

/* Whether all threads have left the handler. */
static int release_by_signals(struct parking *parking) {
    __atomic_store_n(&open_parking, NULL, __ATOMIC_RELEASE);
    __atomic_add_fetch(&gate, 1, __ATOMIC_ACQ_REL);
    os_futex_wake(&gate);
    await(parking, 0);
    for (size_t i = 0; i < parking->count; i++)
        if (parking->threads[i].tid && parking->threads[i].stands) return 0;
    return !parking->missing;
}

/* ---- both ---- */

void parking_begin(struct parking *parking) {
    *parking = (struct parking){0};
    if (!os_has_threads() || !(parking->threads = (struct parked *)os_map(ROOM))) return;
    listed = (uint64_t *)os_map(IDS_MOST / 8);
    if (!listed) return;
    /* What a debugger sees of a thread that a tool executes is the tool. */
    if (PORT_OBSERVED || !stop_by_helper(parking)) stop_by_signals(parking);
    os_unmap((uintptr_t)listed, IDS_MOST / 8);
}

void parking_end(struct parking *parking) {
    if (!parking->threads) return;
    int empty = 1;
    if (parking->helper)
        release_by_helper(parking);
    else if (parking->count)
        empty = release_by_signals(parking);
    /* A thread that came late may still look at the table. */
    if (empty) os_unmap((uintptr_t)parking->threads, ROOM);
    parking->threads = NULL;
}
