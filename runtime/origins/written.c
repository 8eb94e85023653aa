#include "written.h"
#include "../os/mem.h"
#include "cells.h"
#include "given.h"

/* Bytes that are kept of one announcement, and of all that a thread has. */
#define MOST_KEPT 1024u
#define MOST_BYTES 4096u
#define MOST_ANNOUNCED 16u

struct announced {
    struct whence_origin_site *call;
    uintptr_t frame; /* of the wrapper */
    uintptr_t to;
    uint32_t size, at; /* in `bytes` */
};

static __thread struct {
    struct announced calls[MOST_ANNOUNCED];
    uint8_t bytes[MOST_BYTES];
} kept;

#define COUNT (__whence_origins.passed.written)
/* In the site of the call that may write: it has announced something. */
#define HAS_BEGUN 1u

/* ---- announcements ---- */

struct whence_origin_site *written_call(const char *function) {
    uint64_t writing = __whence_origins.passed.writing;
    struct whence_origin_site *site = (void *)(uintptr_t)(writing & ~(uint64_t)HAS_BEGUN);
    return site && given_is_call(site, function) ? site : NULL;
}

/* Calls that were left by a jump or an exception never end. Their frames are not above that of a
 * call that begins later. */
static void drop_left(uintptr_t frame) {
    while (COUNT && kept.calls[COUNT - 1].frame <= frame) COUNT--;
}

static uint32_t bytes_used(void) {
    if (!COUNT) return 0;
    const struct announced *last = &kept.calls[COUNT - 1];
    return last->at + last->size;
}

static void keep(struct whence_origin_site *call, uintptr_t frame, uintptr_t to, uint64_t size) {
    if (size > MOST_KEPT) size = MOST_KEPT;
    if (COUNT == MOST_ANNOUNCED || bytes_used() + size > MOST_BYTES) COUNT = 0;
    struct announced *own = &kept.calls[COUNT];
    *own = (struct announced){call, frame, to, (uint32_t)size, bytes_used()};
    wh_copy(kept.bytes + own->at, (const void *)to, size);
    COUNT++;
}

void written_soon(const char *function, const void *frame, uintptr_t to, uint64_t size) {
    struct whence_origin_site *call = written_call(function);
    if (!call || !size) return;
    if (!(__whence_origins.passed.writing & HAS_BEGUN)) drop_left((uintptr_t)frame);
    __whence_origins.passed.writing |= HAS_BEGUN;
    keep(call, (uintptr_t)frame, to, size);
}

void written_already(const char *function, uintptr_t to, uint64_t size) {
    struct whence_origin_site *call = written_call(function);
    if (call && size) cells_written(call, to, size);
}

WH_EXPORT void __whence_origin_filling(struct whence_origin_site *site, uint64_t to,
                                       uint64_t size) {
    if (to < WH_NULL_PAGE_SIZE) return;
    __whence_origins.passed.writing = (uintptr_t)site | HAS_BEGUN;
    keep(site, (uintptr_t)__builtin_frame_address(0), to, size);
}

/* ---- behind the call ---- */

/* Whether the byte has changed, and not by a store that is followed, as of another thread or of a
 * function that the library function has called. */
static int is_changed(uintptr_t at, uint8_t before) {
    return *(const uint8_t *)at != before && !cells_now(at, 1);
}

static void compare(const struct announced *call) {
    const uint8_t *before = kept.bytes + call->at;
    for (uint32_t i = 0; i < call->size; i++) {
        uint32_t begin = i;
        while (i < call->size && is_changed(call->to + i, before[i])) i++;
        if (i > begin) cells_written(call->call, call->to + begin, i - begin);
    }
}

/* One more than the number of the last announcement at a site. */
static uint64_t last_at(const struct whence_origin_site *site) {
    uint64_t end = COUNT;
    while (end && kept.calls[end - 1].call != site) end--;
    return end;
}

static void compare_all(const struct whence_origin_site *site) {
    uint64_t end = last_at(site), begin = end;
    if (!end) return;
    uintptr_t frame = kept.calls[end - 1].frame;
    while (begin && kept.calls[begin - 1].call == site && kept.calls[begin - 1].frame == frame)
        begin--;
    for (uint64_t i = begin; i < end; i++) compare(&kept.calls[i]);
    COUNT = begin;
}

/* What a call that was left by a jump has announced may be gone by now: it is not looked at for a
 * later call at its site that announces nothing. The call around this one goes on. */
WH_EXPORT void __whence_origin_written(struct whence_origin_site *site, uint64_t writing) {
    if (writing == ((uintptr_t)site | HAS_BEGUN)) compare_all(site);
    if (COUNT) __whence_origins.passed.writing = (uintptr_t)kept.calls[COUNT - 1].call | HAS_BEGUN;
}
