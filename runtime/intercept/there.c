/* Memory that the kernel accesses: where nothing is mapped, it answers EFAULT, and nothing is wrong
 * but a null pointer. */
#include <stdarg.h>
#include "check.h"
#include "../os/os.h"
#include "../process/thread.h"

#include <limits.h>
#include <string.h>

/* The callers' frames. Further on, a stack of another kind than the thread's may have ended. */
#define FRAMES_MOST (1ull << 20)

static int in_frames(uintptr_t begin, size_t size) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0), high = thread_self.stack.high;
    return here >= thread_self.stack.low && begin >= here && begin - here < FRAMES_MOST &&
           begin < high && size <= high - begin;
}

int is_there(const void *structure, size_t size) {
    uintptr_t begin = (uintptr_t)structure;
    if (!size || size > UINTPTR_MAX - begin) return 0;
    if (blocks_govern(begin)) return access_clean(begin, size);
    if (in_frames(begin, size)) return 1;
    uintptr_t last = begin + size - (size < sizeof(uint64_t) ? size : sizeof(uint64_t));
    return os_readable(begin) && (size <= sizeof(uint64_t) || os_readable(last));
}

/* Blocks may be closed while they live, so the system does not know whether one is there. */
static int is_mapped(const void *pointer) {
    uintptr_t at = (uintptr_t)pointer;
    return blocks_govern(at) || os_readable(wh_round_down(at, sizeof(uint64_t)));
}

void check_path(struct site site, const char *text) {
    uintptr_t begin = (uintptr_t)text;
    if (!is_judged(text) || (!is_null(text) && !is_mapped(text))) return;
    check_range(site, text, 1, 0, text);
    if (!access_clean(begin, 1)) return;
    size_t room = port_first_bad(begin, PATH_MAX) - begin;
    const char *end = memchr(text, 0, room);
    if (end)
        check_used(site, text, (size_t)(end - text) + 1);
    else if (room < PATH_MAX)
        check_range(site, text, room + 1, 0, text);
}

void check_structure(struct site site, const void *structure, size_t size, int write) {
    if (is_judged(structure) && (is_null(structure) || is_mapped(structure)))
        check_range(site, structure, size, write, structure);
}
