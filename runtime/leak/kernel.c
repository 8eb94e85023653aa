#include "kernel.h"
#include "../blocks/block.h"
#include "../os/mem.h"
#include "../stacks/depot.h"

#include <dlfcn.h>
#include <sys/epoll.h>

/* Open addressing by the pair of descriptors; entries are never removed, and no
 * lock is needed. What finds no room is not kept: a pair that is used again
 * finds its own entry. */
#define ENTRIES 65536u

static struct {
    uint64_t pair; /* 0: empty */
    uintptr_t pointer;
} entries[ENTRIES];
static unsigned any; /* Whether there are some. */

static void keep(int queue, int file, uintptr_t pointer) {
    __atomic_store_n(&any, 1, __ATOMIC_RELAXED);
    uint64_t pair = (uint64_t)(uint32_t)(queue + 1) << 32 | (uint32_t)file;
    uint64_t hash = depot_hash_step(DEPOT_HASH_INIT, pair) >> 32;
    for (unsigned i = 0; i < ENTRIES; i++) {
        uint64_t *place = &entries[(hash + i) % ENTRIES].pair, empty = 0;
        if (__atomic_compare_exchange_n(place, &empty, pair, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED) ||
            empty == pair) {
            __atomic_store_n(&entries[(hash + i) % ENTRIES].pointer, pointer, __ATOMIC_RELAXED);
            return;
        }
    }
}

void kernel_pointers(void (*visit)(uintptr_t pointer)) {
    if (!__atomic_load_n(&any, __ATOMIC_RELAXED)) return;
    for (unsigned i = 0; i < ENTRIES; i++)
        if (entries[i].pointer) visit(entries[i].pointer);
}

static int (*next_epoll_ctl)(int, int, int, struct epoll_event *);

/* Before the program runs: dlsym would take from it what dlerror returns next. */
__attribute__((constructor)) static void find_epoll_ctl(void) {
    if (!next_epoll_ctl)
        next_epoll_ctl =
            (int (*)(int, int, int, struct epoll_event *))(uintptr_t)dlsym(RTLD_NEXT, "epoll_ctl");
}

/* A descriptor that is closed leaves its pointer here: better than to call a
 * block lost that another copy of the descriptor still brings back. */
int kernel_epoll_ctl(int queue, int operation, int file, struct epoll_event *event) {
    find_epoll_ctl();
    int result = next_epoll_ctl(queue, operation, file, event);
    if (result < 0) return result;
    if (operation == EPOLL_CTL_DEL)
        keep(queue, file, 0);
    else if (event && blocks_govern((uintptr_t)event->data.ptr))
        keep(queue, file, (uintptr_t)event->data.ptr);
    return result;
}
