#include "../include/whence/origins.h"
#include "../os/mem.h"
#include "cells.h"

struct text_copy {
    struct whence_origin_site *site;
    uintptr_t to, from;
    uint64_t most, length; /* of what is copied */
};

static uint64_t length_up_to(uintptr_t text, uint64_t most) {
    uint64_t length = 0;
    while (length < most && ((const char *)text)[length]) length++;
    return length;
}

/* The text, and its final 0: that of the source if the limit lets it be copied. */
static void copy_ended(const struct text_copy *copy, uintptr_t to, int has_end) {
    __whence_origin_copy(copy->site, to, copy->from, copy->length + (has_end != 0));
    if (!has_end) cells_written(copy->site, to + copy->length, 1);
}

static void copy_padded(const struct text_copy *copy) {
    uint64_t copied = copy->length < copy->most ? copy->length + 1 : copy->most;
    __whence_origin_copy(copy->site, copy->to, copy->from, copied);
    if (copied < copy->most) cells_written(copy->site, copy->to + copied, copy->most - copied);
}

/* Behind what was there before: the last bytes of the text that is there now. */
static void copy_appended(const struct text_copy *copy) {
    uint64_t whole = wh_length((const char *)copy->to);
    uintptr_t end = copy->to + whole - copy->length;
    if (whole < copy->length) return;
    if (!wh_same_bytes(end, copy->from, copy->length)) return;
    copy_ended(copy, end, copy->length < copy->most);
}

WH_EXPORT void __whence_origin_copied(struct whence_origin_site *site, uint64_t to, uint64_t from,
                                      uint64_t most, uint64_t form) {
    if (!to || !from) return;
    struct text_copy copy = {site, to, from, most, length_up_to(from, most)};
    if (form == WH_COPY_PADDED) {
        copy_padded(&copy);
    } else if (form == WH_COPY_APPENDED) {
        copy_appended(&copy);
    } else if (form == WH_COPY_APPENDED_FITTING) {
        copy.most = ~0ull;
        copy.length = length_up_to(from, ~0ull);
        if (most) copy_appended(&copy);
    } else if (form == WH_COPY_FITTING) {
        if (!most) return;
        int has_end = copy.length < most;
        if (!has_end) copy.length--;
        copy_ended(&copy, to, has_end);
    } else {
        copy_ended(&copy, to, copy.length < most);
    }
}
