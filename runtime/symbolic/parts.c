#include "parts.h"
#include "tables.h"
#include "trace.h"
#include "../planes/planes.h"
#include "../definedness/ranges.h"

/* Of one kind; the last one has what follows, too. */
#define MOST 64u

/* The first byte from `at` on that is such a part, and the first one behind it that is not, or the
 * end. */
struct finder {
    unsigned what; /* WH_PART_* */
    uintptr_t (*begin)(uintptr_t at, uintptr_t end);
    uintptr_t (*behind)(uintptr_t at, uintptr_t end);
};

static uintptr_t first_closed(uintptr_t at, uintptr_t end) { return plane_first_bad(at, end - at); }

static uintptr_t first_open(uintptr_t at, uintptr_t end) {
    at = wh_round_down(at, WH_GRANULE) + WH_GRANULE;
    while (at < end && *plane_state(at) > WH_GRANULE) at += WH_GRANULE;
    return at < end ? at : end;
}

static uintptr_t first_undefined(uintptr_t at, uintptr_t end) { return values_first(at, end - at); }

static uintptr_t first_defined(uintptr_t at, uintptr_t end) {
    while (at < end && values_first(at, 1) == at) at++;
    return at;
}

static unsigned say(const struct finder *finder, uintptr_t at, uintptr_t end) {
    unsigned count = 0;
    while (count < MOST && at < end && (at = finder->begin(at, end)) < end) {
        uintptr_t behind = ++count < MOST ? finder->behind(at, end) : end;
        trace_put(WH_TRACE_PART, finder->what, 0, 0, 2, (uint64_t[]){at, behind - at});
        at = behind;
    }
    return count;
}

static const struct finder closed = {WH_PART_CLOSED, first_closed, first_open};
static const struct finder undefined = {WH_PART_UNDEFINED, first_undefined, first_defined};

unsigned parts_say(struct whence_bounds object, unsigned how) {
    uintptr_t begin = object.begin, end = begin + object.size;
    if (!object.size || object.size > REACH_MOST_BYTES || !plane_covers(begin)) return 0;
    int is_read = how == WH_TRACED_READ && VALUES_ON;
    int is_clean = plane_clean(begin, object.size);
    if (is_clean && !(is_read && values_first(begin, object.size) < end)) return 0;
    if (!trace_lock()) return 0;
    unsigned count = is_clean ? 0 : say(&closed, begin, end);
    if (is_read) count += say(&undefined, begin, end);
    trace_unlock();
    return count;
}
