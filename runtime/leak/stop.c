#include "stop.h"
#include "../os/mem.h"
#include "../os/os.h"

#include <errno.h>
#include <signal.h>

#define THREADS_MOST 16384u
#define PATIENCE_US 500000u
#define ROOM (THREADS_MOST * sizeof(struct parked))

int __sigaction(int, const struct sigaction *, struct sigaction *);

/* The parking that is going on; `gate` changes when the threads may go. */
static struct parking *open_parking;
static uint32_t gate;

static void stand_still(int signal_number, siginfo_t *info, void *registers) {
    (void)signal_number;
    (void)info;
    (void)registers; /* on this stack, above this frame */
    struct parking *parking = __atomic_load_n(&open_parking, __ATOMIC_ACQUIRE);
    if (!parking) return;
    uint32_t closed = __atomic_load_n(&gate, __ATOMIC_ACQUIRE), tid = os_thread();
    for (size_t i = 0; i < parking->count; i++) {
        struct parked *self = &parking->threads[i];
        if (self->tid != tid) continue;
        self->sp = (uintptr_t)__builtin_frame_address(0) - 256;
        __atomic_store_n(&self->stands, 1, __ATOMIC_RELEASE);
        while (__atomic_load_n(&gate, __ATOMIC_ACQUIRE) == closed) os_futex_wait(&gate, closed, 0);
        /* The searcher waits for this before it gives the table back. */
        __atomic_store_n(&self->stands, 0, __ATOMIC_RELEASE);
        return;
    }
}

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

static void list_threads(struct parking *parking) {
    int directory = os_open("/proc/self/task", OS_OPEN_DIRECTORY);
    if (directory < 0) return;
    uint64_t buffer[512];
    uint32_t self = os_thread();
    for (long n; (n = os_list(directory, buffer, sizeof buffer)) > 0;)
        for (long at = 0; at < n;) {
            const struct entry *entry = (const struct entry *)((const char *)buffer + at);
            at += entry->length;
            uint32_t tid = number(entry->name);
            if (tid && tid != self && parking->count < THREADS_MOST)
                parking->threads[parking->count++].tid = tid;
        }
    os_close(directory);
}

/* A real-time signal that the program does not use; 0 if there is none. */
static int free_signal(struct sigaction *old) {
    for (int number_of = SIGRTMAX; number_of > SIGRTMIN; number_of--)
        if (__sigaction(number_of, NULL, old) == 0 && old->sa_handler == SIG_DFL) return number_of;
    return 0;
}

static void await(struct parking *parking, uint32_t wanted) {
    uint64_t end = os_now_us() + PATIENCE_US;
    for (;;) {
        parking->missing = 0;
        for (size_t i = 0; i < parking->count; i++)
            if (parking->threads[i].tid &&
                __atomic_load_n(&parking->threads[i].stands, __ATOMIC_ACQUIRE) != wanted)
                parking->missing++;
        if (!parking->missing || os_now_us() > end) return;
        os_sleep_us(50);
    }
}

void parking_begin(struct parking *parking) {
    *parking = (struct parking){(struct parked *)os_map(ROOM), 0, 0};
    if (!parking->threads || !os_threaded) return;
    list_threads(parking);
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

void parking_end(struct parking *parking) {
    size_t missing = parking->missing;
    __atomic_store_n(&open_parking, NULL, __ATOMIC_RELEASE);
    __atomic_add_fetch(&gate, 1, __ATOMIC_ACQ_REL);
    os_futex_wake(&gate);
    if (!parking->threads) return;
    await(parking, 0);
    /* A thread that came late may still look at the table. */
    if (!missing && !parking->missing) os_unmap((uintptr_t)parking->threads, ROOM);
    parking->threads = NULL;
}
