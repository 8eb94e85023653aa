#include "alone.h"
#include "../os/mem.h"

#include <link.h>
#include <stddef.h>

/* Those that allocate for a whole process. Another installation has the same names. */
static const char *const libraries[] = {"libwhence-rt.so", "whence-alloc.so",
                                        "libwhence-replay.so"};

extern const char __ehdr_start[] __attribute__((visibility("hidden"))); /* where this one begins */

static int look(struct dl_phdr_info *info, size_t size, void *into) {
    (void)size;
    struct alone_pair *pair = into;
    if (!info->dlpi_name) return 0;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        if (!wh_same(wh_base_name(info->dlpi_name), libraries[i])) continue;
        if (info->dlpi_addr == (uintptr_t)__ehdr_start)
            pair->own = info->dlpi_name;
        else
            pair->other = info->dlpi_name;
    }
    return 0;
}

int alone_is(struct alone_pair *pair) {
    *pair = (struct alone_pair){NULL, NULL};
    dl_iterate_phdr(look, pair);
    return !pair->own || !pair->other;
}
