#include "planes.h"
#include "../os/invariant.h"
#include "../os/mem.h"
#include "../os/os.h"

WH_EXPORT uint32_t __whence_holes;

static uintptr_t state_of(uintptr_t address) { return (uintptr_t)plane_state(address); }

long planes_init(uintptr_t *begin, size_t *size) {
    uintptr_t gap_begin = state_of(PLANE_BEGIN), gap_end = state_of(PLANE_END);
    const struct {
        uintptr_t begin, end;
        enum os_access access;
    } parts[] = {
        {PLANE_BEGIN, gap_begin, OS_READ_WRITE},
        {gap_begin, gap_end, OS_NONE},
        {gap_end, PLANE_END, OS_READ_WRITE},
    };
    *begin = PLANE_BEGIN;
    *size = PLANE_END - PLANE_BEGIN;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        long result = os_reserve(parts[i].begin, parts[i].end - parts[i].begin, parts[i].access);
        if (result < 0) return result;
    }
    plane_set(0, WH_NULL_PAGE_SIZE, WH_STATE_NULL_PAGE);
    return 0;
}

/* Below this many state bytes single stores beat the start-up cost of `rep stosb`. */
#define SHORT_RUN 256

void plane_write(uintptr_t begin, size_t size, uint8_t state) {
    WH_INVARIANT(begin % WH_GRANULE == 0);
    volatile uint8_t *byte = plane_state(begin);
    size_t count = size >> WH_GRANULE_SHIFT;
    if (count >= SHORT_RUN) {
        wh_fill((void *)(uintptr_t)byte, state, count);
        return;
    }
    wh_fill_words((void *)(uintptr_t)byte, state, count / 8);
    for (size_t i = count & ~(size_t)7; i < count; i++) byte[i] = state;
}

/* How many leading bytes of a granule with this state are addressable. */
static unsigned addressable(uint8_t state) {
    if (state == WH_STATE_ADDRESSABLE || state == WH_STATE_UNDEFINED || state == WH_STATE_MIXED)
        return WH_GRANULE;
    return state < WH_GRANULE ? state : 0;
}

/* Granules whose state bytes are read at once. */
#define WORD_BYTES (8 * WH_GRANULE)
#define WORDS_BYTES (4 * WORD_BYTES)

/* How many bytes of [begin, begin + most) are certainly addressable because all state bytes of
 * several granules are 0; no granule is read beyond the range. */
static inline size_t open_words(const uint8_t *state, size_t most) {
    const wh_word *word = (const wh_word *)state;
    if (most >= WORDS_BYTES && !(word[0] | word[1] | word[2] | word[3])) return WORDS_BYTES;
    return most >= WORD_BYTES && !word[0] ? WORD_BYTES : 0;
}

uintptr_t plane_first_bad(uintptr_t begin, size_t size) {
    uintptr_t end = begin + size;
    uintptr_t granule = wh_round_down(begin, WH_GRANULE);
    while (granule < end) {
        const uint8_t *state = plane_state(granule);
        size_t open = open_words(state, end - granule);
        if (open) {
            granule += open;
            continue;
        }
        unsigned good = addressable(*state);
        if (good < WH_GRANULE && granule + good < end)
            return granule + good > begin ? granule + good : begin;
        granule += WH_GRANULE;
    }
    return end;
}

/* Where the addressable bytes begin that end at a granule's begin. */
static uintptr_t run_begin(uintptr_t granule, uintptr_t least) {
    while (granule > least) {
        size_t more = granule - least >= WORDS_BYTES ? WORDS_BYTES : WORD_BYTES;
        if (granule - least >= more && open_words(plane_state(granule - more), more) == more) {
            granule -= more;
            continue;
        }
        if (addressable(*plane_state(granule - WH_GRANULE)) < WH_GRANULE) break;
        granule -= WH_GRANULE;
    }
    return granule;
}

struct whence_bounds plane_run(uintptr_t address, struct whence_bounds most) {
    uintptr_t end = plane_first_bad(address, most.begin + most.size - address);
    if (end == address) return (struct whence_bounds){0, 0};
    uintptr_t least = wh_round_up(most.begin, WH_GRANULE);
    uintptr_t begin = run_begin(wh_round_down(address, WH_GRANULE), least);
    return (struct whence_bounds){begin, end - begin};
}
