#include "arrivals.h"
#include "../os/mem.h"
#include "../os/os.h"

static void judge_range(struct site site, const void *pointer, size_t size, int write,
                        const void *root) {
    if (WH_LIKELY(!is_judged(pointer))) return;
    if (WH_LIKELY(PORT_PLANES && access_fine((uintptr_t)pointer, size, (uintptr_t)root))) return;
    access_check((uintptr_t)pointer, size, (uintptr_t)root, write, site.function, site.frame);
}

void check_range(struct site site, const void *pointer, size_t size, int write, const void *root) {
    judge_range(site, pointer, size, write, root);
    tell_races(site, pointer, size, write);
    if (write) SOON_WRITTEN(site, pointer, size);
}

void check_shared(struct site site, const void *object, size_t size) {
    judge_range(site, object, size, 1, object);
    SOON_WRITTEN(site, object, size);
}

/* ---- bounce buffers ---- */

#define BOUNCE_MOST (64ull << 20)

struct bounce bounce_begin(struct site site, void *target, size_t size) {
    struct bounce bounce = {target, target, size, 0};
    if (!size) return bounce;
    if (access_clean((uintptr_t)target, size)) return bounce;
    uintptr_t buffer = size <= BOUNCE_MOST ? os_map(wh_round_up(size, OS_PAGE)) : 0;
    if (!buffer) {
        /* Elsewhere, nothing is known of how much it will need. */
        if (blocks_govern((uintptr_t)target)) check_range(site, target, size, 1, target);
        return bounce;
    }
    bounce.buffer = (void *)buffer;
    bounce.room = size;
    return bounce;
}

struct bounce bounce_block(struct site site, void *target, size_t size) {
    if (blocks_govern((uintptr_t)target)) return bounce_begin(site, target, size);
    return (struct bounce){target, target, size, target ? size : 0};
}

static int has_buffer(const struct bounce *bounce) { return bounce->buffer != bounce->target; }

void bounce_fill(struct bounce *bounce) {
    uintptr_t target = (uintptr_t)bounce->target;
    if (has_buffer(bounce))
        wh_copy(bounce->buffer, bounce->target, port_first_bad(target, bounce->room) - target);
}

void bounce_end(struct site site, struct bounce *bounce, size_t count) {
    if (VALUES_ON)
        __whence_value_define((uintptr_t)bounce->target,
                              count < bounce->size ? count : bounce->size);
    if (PORT_PLANES && RACES_ON) {
        races_arrived();
        tell_races(site, bounce->target, count < bounce->size ? count : bounce->size, 1);
    }
    if (!bounce->room) {
        NOW_WRITTEN(site, bounce->target, count < bounce->size ? count : bounce->size);
        return;
    }
    /* With MSG_TRUNC the kernel counts what it has dropped, too. */
    size_t stored = count < bounce->room ? count : bounce->room;
    judge_range(site, bounce->target, stored, 1, bounce->target);
    if (!has_buffer(bounce)) {
        NOW_WRITTEN(site, bounce->target, stored);
        return;
    }
    /* After a finding, closed pages would trap. */
    if (stored && (!PORT_GUARDS || access_clean((uintptr_t)bounce->target, stored))) {
        wh_copy(bounce->target, bounce->buffer, stored);
        NOW_WRITTEN(site, bounce->target, stored);
    }
    os_unmap((uintptr_t)bounce->buffer, wh_round_up(bounce->room, OS_PAGE));
}
