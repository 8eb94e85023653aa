/* `qsort` moves elements: what was known of each is known of it where it is afterwards. */
#include "../include/whence/origins.h"
#include "../definedness/elements.h"
#include "cells.h"

/* The copy has cells as the array had. */
WH_EXPORT struct elements *__whence_origin_sorting(struct whence_origin_site *site, uint64_t base,
                                                   uint64_t count, uint64_t size) {
    struct elements *kept = elements_keep(base, count, size);
    if (kept) __whence_origin_copy(site, elements_begin(kept), base, count * size);
    return kept;
}

WH_EXPORT void __whence_origin_sorted(struct whence_origin_site *site, uint64_t base,
                                      uint64_t count, uint64_t size, struct elements *kept) {
    if (!kept) {
        if (base >= WH_NULL_PAGE_SIZE && count && size && size <= ~0ull / count)
            cells_written(site, base, count * size);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        uintptr_t to = base + i * size, from = elements_take(kept, to);
        if (from)
            cells_move(to, from, size);
        else
            cells_written(site, to, size);
    }
    cells_forget(elements_begin(kept), elements_bytes(kept));
    elements_drop(kept);
}
