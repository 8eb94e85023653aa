#include <stdarg.h>
#include "scatter.h"
#include "check.h"
#include "../os/mem.h"
#include "../os/os.h"

#include <limits.h>

/* The kernel accesses the table only if its length is one that it accepts. */
static int has_table(struct site site, const struct iovec *parts, size_t count) {
    if (!count || count > IOV_MAX) return 0;
    check_range(site, parts, count * sizeof *parts, 0, parts);
    int whole = is_there(parts, count * sizeof *parts);
    /* Of a table that is too long for its block, what is in the block is read, too. */
    for (size_t i = 0; VALUES_ON && i < count && is_there(&parts[i], sizeof *parts); i++) {
        check_used_bytes(site, &parts[i].iov_len, sizeof parts->iov_len);
        if (parts[i].iov_len) check_used_bytes(site, &parts[i].iov_base, sizeof parts->iov_base);
    }
    return whole;
}

static int are_clean(const struct iovec *parts, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (parts[i].iov_len && !access_clean((uintptr_t)parts[i].iov_base, parts[i].iov_len))
            return 0;
    return 1;
}

int scatter_is_clean(const struct iovec *parts, size_t count) {
    size_t size = count * sizeof *parts;
    return !count || (count <= IOV_MAX && is_there(parts, size) && are_clean(parts, count));
}

static size_t room_for(size_t count) {
    return wh_round_up(count * (sizeof(struct iovec) + sizeof(struct bounce)), OS_PAGE);
}

struct scatter scatter_begin(struct site site, const struct iovec *parts, size_t count) {
    struct scatter scatter = {parts, NULL, count};
    if (!has_table(site, parts, count) || are_clean(parts, count)) return scatter;
    uintptr_t room = os_map(room_for(count));
    if (!room) return scatter;
    scatter.bounces = (struct bounce *)room;
    struct iovec *fills = (struct iovec *)(void *)(scatter.bounces + count);
    for (size_t i = 0; i < count; i++) {
        scatter.bounces[i] = bounce_block(site, parts[i].iov_base, parts[i].iov_len);
        fills[i] = (struct iovec){scatter.bounces[i].buffer, parts[i].iov_len};
    }
    scatter.parts = fills;
    return scatter;
}

/* The parts that have been filled. */
static void define(const struct scatter *scatter, size_t stored) {
    for (size_t i = 0; stored && i < scatter->count; i++)
        FILLS(scatter->parts[i].iov_base, part_next(&scatter->parts[i], &stored));
}

void scatter_end(struct site site, struct scatter *scatter, size_t stored) {
    if (!scatter->bounces) {
        define(scatter, stored);
        return;
    }
    for (size_t i = 0; i < scatter->count; i++) {
        bounce_end(site, &scatter->bounces[i], part_next(&scatter->parts[i], &stored));
    }
    os_unmap((uintptr_t)scatter->bounces, room_for(scatter->count));
}

void check_gathered(struct site site, const struct iovec *parts, size_t count) {
    if (!has_table(site, parts, count)) return;
    for (size_t i = 0; i < count; i++) {
        check_range(site, parts[i].iov_base, parts[i].iov_len, 0, parts[i].iov_base);
        check_used(site, parts[i].iov_base, parts[i].iov_len);
    }
}
