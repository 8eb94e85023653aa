/* Physical pages of freed blocks. Small blocks are far apart, so nearly every one has a page to
 * itself. */
#include "spread.h"
#include "../alloc/kd/release.h"
#include "../os/mem.h"
#include "../os/os.h"

/* From this size on a block's pages go back when it is freed. */
#define AT_ONCE (64ull << 10)

static struct os_lock lock;
static struct release policy = {.pages = RELEASE_PAGES, .factor = RELEASE_FACTOR};
/* Begins of blocks that were freed since the last release. */
static uint64_t *log;
static uint64_t logged, capacity;

static int grow(void) {
    return os_enlarge((void **)&log, sizeof *log, logged, &capacity, 2 * RELEASE_PAGES);
}

static uint64_t live_blocks(void) {
    struct kd_bin_statistics bin;
    uint64_t live = 0;
    for (unsigned i = 0; i < spread_bins(); i++) {
        kd_bin_statistics(spread_state(), KD_HEAP, i, &bin);
        live += bin.live;
    }
    return live;
}

void spread_free(uint64_t begin) {
    uint64_t size = kd_size(spread_state(), begin);
    /* While it still is the program's: afterwards another thread may have it. */
    if (size >= AT_ONCE) os_discard(begin, wh_round_up(size, OS_PAGE));
    if (kd_free(spread_state(), begin) != KD_OK || size >= AT_ONCE) return;
    os_lock(&lock);
    if (logged < capacity || grow()) log[logged++] = begin;
    if (logged % RELEASE_PAGES == 0) {
        uint64_t live = live_blocks();
        if (release_due(&policy, live, live + logged)) {
            kd_discard(spread_state(), log, logged);
            logged = 0;
        }
    }
    os_unlock(&lock);
}

void spread_lock(void) { os_lock(&lock); }

void spread_unlock(void) { os_unlock(&lock); }
