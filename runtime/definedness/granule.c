#include "granule.h"
#include "details.h"
#include "origin.h"
#include "../blocks/block.h"
#include "../os/invariant.h"
#include "../os/os.h"
#include "../planes/planes.h"
#include "../process/thread.h"

#define EACH_BYTE 0x0101010101010101ull
#define ALL_BYTES 0xffu

/* 1 in each byte that is not 0. */
static uint64_t nonzero_bytes(uint64_t word) {
    uint64_t low = 0x7f * EACH_BYTE;
    return (((word & low) + low) | word) >> 7 & EACH_BYTE;
}

/* The bytes in which two words differ, as bits. */
static uint64_t differing(uint64_t a, uint64_t b) { return nonzero_bytes(a ^ b) * 0xff; }

static uint64_t bits_of_bytes(uint8_t bytes) {
    return nonzero_bytes(bytes * EACH_BYTE & 0x8040201008040201ull) * 0xff;
}

/* The bytes that have one of some bits: the product has the bit of byte i in bit 56 + i. */
static uint8_t bytes_of_bits(uint64_t bits) {
    return (uint8_t)(nonzero_bytes(bits) * 0x0102040810204080ull >> 56);
}

/* What the plane says of a mixed granule with these undefined bits. */
static uint8_t mixed_state(uint64_t bits) {
    uint8_t bytes = bytes_of_bits(bits);
    return granule_is_named(bytes) ? bytes : WH_VALUES_MIXED;
}

/* ---- holding a granule ---- */

#define SPINS 256u
#define WAITS 32u
#define WAIT_US 50u

/* Whether the byte was `from`, and is `to` now. As long as there is one thread, only a signal
 * handler may come between, and does not come into an instruction. */
static inline int exchange(uint8_t *state, uint8_t from, uint8_t to) {
    int done;
    if (os_has_threads())
        return __atomic_compare_exchange_n(state, &from, to, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    __asm__ volatile("cmpxchgb %[to], %[state]"
                     : "+a"(from), [state] "+m"(*state), "=@ccz"(done)
                     : [to] "q"(to)
                     : "memory");
    return done;
}

/* What the granule's byte was; WH_VALUES_BUSY if its holder does not let go of it, which makes it
 * defined. */
static uint8_t hold(uint8_t *state) {
    for (unsigned i = 0; i < SPINS + WAITS; i++) {
        uint8_t was = __atomic_load_n(state, __ATOMIC_RELAXED);
        if (was != WH_VALUES_BUSY && exchange(state, was, WH_VALUES_BUSY)) return was;
        if (i < SPINS)
            __builtin_ia32_pause();
        else
            os_sleep_us(WAIT_US);
    }
    __atomic_store_n(state, WH_VALUES_DEFINED, __ATOMIC_RELEASE);
    return WH_VALUES_BUSY;
}

static inline int is_state(uint8_t state) {
    return state == WH_VALUES_DEFINED || state == WH_VALUES_UNDEFINED || state == WH_VALUES_MIXED ||
           granule_is_named(state);
}

static void let_go(uint8_t *state, uint8_t to) {
    WH_INVARIANT(is_state(to));
    exchange(state, WH_VALUES_BUSY, to);
}

/* ---- undefined granules ---- */

/* The neighbours that lie in the same page, which is mapped. */
static int is_in_page(uintptr_t granule, uintptr_t other) {
    return (granule ^ other) >> OS_PAGE_SHIFT == 0;
}

/* The heap's block with a granule. Others, which take long to find, have no stack of an allocation.
 */
static struct block block_of(uintptr_t granule) {
    return blocks_in_heap(granule) ? block_of_heap_at(granule) : block_none();
}

static uint64_t origin_of_block(struct block block) {
    return block_exists(block) ? origin_of_stack(block_alloc_stack(block)) : 0;
}

/* Likewise, or in the same block. */
static int is_near(uintptr_t granule, uintptr_t other) {
    if (is_in_page(granule, other)) return 1;
    struct block block = block_of(granule);
    return block_exists(block) && other >= block_begin(block) &&
           other - block_begin(block) < block_size(block);
}

static int is_filled(uintptr_t granule) {
    return granule_read(granule) == WH_VALUES_UNDEFINED && origin_fills(granule_word(granule));
}

/* The first byte of a mixed granule, and so the end of an array, may be undefined. */
static int begins_undefined(uint8_t state) {
    return state == WH_VALUES_UNDEFINED || (granule_is_named(state) && (state & 1));
}

static void overwritten(uintptr_t granule) {
    uint8_t was = granule_read(granule);
    if (begins_undefined(was)) exchange(granule_state(granule), was, WH_VALUES_DEFINED);
}

/* Unseen code may have ended in this granule. One without its fill word shows that itself, and
 * stays as it is, lest the granule behind it loses the sign. */
static void perhaps_overwritten(uintptr_t granule) {
    if (granule_read(granule) != WH_VALUES_UNDEFINED || origin_fills(granule_word(granule)))
        overwritten(granule);
}

/* Whether unseen code has written the granule before. That may have ended in this one with a byte
 * that equals the one of the fill word, or is one of another origin. */
static int is_behind_overwritten(uintptr_t granule) {
    uintptr_t before = granule - WH_GRANULE;
    if (!is_near(granule, before) || granule_read(before) != WH_VALUES_UNDEFINED) return 0;
    uint64_t word = granule_word(before);
    if (word == granule_word(granule) || origin_fills(word)) return 0;
    overwritten(before);
    return 1;
}

/* Whether a granule has the fill word of an allocation that is neither its block's nor the one
 * behind it: perhaps unseen code has made it of another fill word. */
static int is_strange(uintptr_t granule) {
    uint64_t word = granule_word(granule), own;
    uintptr_t next = granule + WH_GRANULE;
    if (!origin_fills(word) || !origin_stack(word & ORIGIN_MASK)) return 0;
    if (!(own = origin_of_block(block_of(granule))) || word == origin_fill(own)) return 0;
    return !is_near(granule, next) || granule_read(next) != WH_VALUES_UNDEFINED ||
           granule_word(next) != word;
}

/* Copies look at granules alone, since they may be of what they overwrite. Where unseen code has
 * written a granule and ends in the next one, it is there that it can be seen. */
static void overwritten_alone(uintptr_t granule) {
    uintptr_t next = granule + WH_GRANULE;
    if (is_near(granule, next) && granule_read(next) == WH_VALUES_UNDEFINED && is_strange(next))
        overwritten(next);
    overwritten(granule);
}

static int is_strange_alone(uintptr_t granule) {
    uintptr_t before = granule - WH_GRANULE;
    return is_near(granule, before) && granule_read(before) == WH_VALUES_UNDEFINED &&
           !origin_fills(granule_word(before)) && is_strange(granule);
}

static struct whence_bits undefined_bits(uintptr_t granule, int alone) {
    uint64_t word = granule_word(granule);
    int filled = origin_fills(word);
    if (filled && !(alone ? is_strange_alone(granule) : is_behind_overwritten(granule)))
        return (struct whence_bits){ALL_BITS, word & ORIGIN_MASK};
    uintptr_t next = granule + WH_GRANULE;
    if (alone)
        overwritten_alone(granule);
    else {
        if (!filled && is_near(granule, next)) perhaps_overwritten(next);
        overwritten(granule);
    }
    return (struct whence_bits){0, 0};
}

/* ---- granules of which the fill word is lost in part ---- */

/* A granule, and its block once someone has asked for it. */
struct place {
    uintptr_t granule;
    struct block block;
    int asked;
};

static struct block block_of_place(struct place *place) {
    if (!place->asked) place->block = block_of(place->granule);
    place->asked = 1;
    return place->block;
}

static int agrees(uint64_t word, uint64_t kept, uint64_t origin) {
    return !((origin_fill(origin) ^ word) & kept);
}

#define NEIGHBOURS 4u

/* In the used part of this thread's stack, all of which is mapped. */
static int is_on_own_stack(uintptr_t granule) {
    return granule >= (uintptr_t)__builtin_frame_address(0) && granule < thread_self.stack.high;
}

static int is_readable(uintptr_t granule, uintptr_t other) {
    return is_in_page(granule, other) || (is_on_own_stack(granule) && is_on_own_stack(other));
}

static int neighbour_agrees(uintptr_t granule, uint64_t word, uint64_t kept, uint64_t *origin) {
    for (unsigned i = 0; i < 2 * NEIGHBOURS; i++) {
        uintptr_t distance = (i / 2 + 1) * WH_GRANULE;
        uintptr_t other = i % 2 ? granule - distance : granule + distance;
        if (!is_readable(granule, other) || !is_filled(other)) continue;
        *origin = granule_word(other) & ORIGIN_MASK;
        if (agrees(word, kept, *origin)) return 1;
    }
    return 0;
}

/* The bytes `kept` of a granule that was undefined, of which a store overwrites the others, or has:
 * are they as they were? */
static struct whence_bits rest_bits(struct place *place, uint64_t kept, uint64_t hint) {
    uintptr_t granule = place->granule;
    struct whence_bits rest = {kept, hint};
    uint64_t word = granule_word(granule);
    if (hint && agrees(word, kept, hint)) return rest;
    rest.origin = origin_of_block(block_of_place(place));
    if (rest.origin && agrees(word, kept, rest.origin)) return rest;
    rest.origin = word & ORIGIN_MASK;
    if (origin_fills(word)) return rest;
    if (neighbour_agrees(granule, word, kept, &rest.origin)) return rest;
    /* Last, because a word that is none may lead to a system call. */
    rest.bits = origin_left(word, kept, &rest.origin);
    return rest;
}

/* ---- mixed granules ---- */

/* A state that names the undefined bytes of a heap block's granule needs no detail while they hold
 * what the block was filled with. A detail may be left from an earlier block, so it has a mark of
 * the one that it is about. */
static uint64_t mark_of(struct block block) {
    return block_exists(block) ? block_id(block) << WH_FILL_SHIFT : 0;
}

static int has_mark(const struct detail *detail, uint64_t mark) {
    return !((detail->origin ^ mark) & ~ORIGIN_MASK);
}

/* Whether the undefined bytes of a detail, all but `mask`, are as they were. */
static int is_as_noted(uintptr_t granule, const struct detail *detail, uint64_t mask) {
    return !(differing(granule_word(granule), detail->value) & detail->bits & ~mask);
}

/* Granules of which the plane alone says which bytes of a fill word are left, and which are not the
 * heap's: of local variables, their last ones of fewer than eight bytes, and those that were stored
 * into in part. Details that are there are left from other variables. */
#define LAST_LOCALS 64u
static __thread struct last_local {
    uintptr_t granule;
    uint64_t origin;
} last_locals[LAST_LOCALS] __attribute__((tls_model("initial-exec")));

static struct last_local *last_local_of(uintptr_t granule) {
    return &last_locals[granule / WH_GRANULE % LAST_LOCALS];
}

/* Has what is known of the granule in a detail, where any thread finds it. The fill word serves as
 * the granule's bytes, since only those that are left of it are compared. */
static void settle(struct last_local *local) {
    uintptr_t granule = local->granule;
    uint8_t state = granule ? granule_read(granule) : WH_VALUES_DEFINED;
    struct detail *detail = granule_is_named(state) ? details_at(granule) : NULL;
    local->granule = 0;
    if (detail)
        *detail = (struct detail){bits_of_bytes(state), origin_fill(local->origin), local->origin};
}

void granules_settle(void) {
    for (unsigned i = 0; i < LAST_LOCALS; i++) settle(&last_locals[i]);
}

static void note_local(uintptr_t granule, uint64_t origin) {
    struct last_local *local = last_local_of(granule);
    if (local->granule != granule) settle(local);
    *local = (struct last_local){granule, origin};
}

/* The bytes of a local variable's last granule that belong to no variable. */
static uint64_t bits_behind(uintptr_t granule) {
    unsigned size = PORT_PLANES ? *plane_state(granule) : 0;
    return size && size < WH_GRANULE ? ALL_BITS << (8 * size) : 0;
}

/* The origin of the last granule of a local variable, where its bytes `named` may be those of the
 * granule's fill word; 0: they are not, or it is unknown. */
static uint64_t origin_of_last(uintptr_t granule, uint64_t word, uint64_t named) {
    uint64_t kept = named | bits_behind(granule), origin = 0;
    if (origin_fills(word)) return word & ORIGIN_MASK;
    return (origin_left(word, kept, &origin) & named) == named ? origin : 0;
}

/* The undefined bits of a granule whose state names its bytes. */
static struct whence_bits named_bits(struct place *place, uint8_t state, struct detail *detail,
                                     uint64_t mask) {
    uintptr_t granule = place->granule;
    struct whence_bits found = {bits_of_bytes(state), 0}, none = {0, 0};
    uint64_t word = granule_word(granule), kept = found.bits & ~mask;
    struct last_local *local = last_local_of(granule);
    if (local->granule == granule) {
        found.origin = local->origin;
        return agrees(word, kept, found.origin) ? found : none;
    }
    if (detail && has_mark(detail, mark_of(block_of_place(place))) &&
        !(state & ~bytes_of_bits(detail->bits))) {
        detail->bits &= found.bits;
        if (is_as_noted(granule, detail, mask))
            return (struct whence_bits){detail->bits, detail->origin & ORIGIN_MASK};
    }
    found.origin = origin_of_block(block_of_place(place));
    if (found.origin && agrees(word, kept, found.origin)) return found;
    if (kept && is_on_own_stack(granule) && (found.origin = origin_of_last(granule, word, kept)))
        return found;
    return none;
}

/* The granule is held. If an undefined byte has changed, code that is not seen has written there:
 * perhaps all bytes, of which some are as they were. mask: bytes that a change is about. */
static struct whence_bits mixed_bits(struct place *place, uint8_t state, uint64_t mask) {
    struct detail *detail = details_find(place->granule);
    if (granule_is_named(state)) return named_bits(place, state, detail, mask);
    if (!detail || !detail->bits || !is_as_noted(place->granule, detail, mask))
        return (struct whence_bits){0, 0};
    return (struct whence_bits){detail->bits, detail->origin & ORIGIN_MASK};
}

static struct whence_bits find_bits(uintptr_t granule, int alone) {
    uint8_t *state = granule_state(granule), was = granule_read(granule);
    if (was == WH_VALUES_DEFINED) return (struct whence_bits){0, 0};
    if (was == WH_VALUES_UNDEFINED) return undefined_bits(granule, alone);
    was = hold(state);
    if (was == WH_VALUES_BUSY) return (struct whence_bits){0, 0};
    if (!granule_is_mixed(was)) {
        let_go(state, was);
        return was == WH_VALUES_UNDEFINED ? undefined_bits(granule, alone)
                                          : (struct whence_bits){0, 0};
    }
    struct whence_bits found = {0, 0};
    struct place place = {.granule = granule};
    if (alone || !begins_undefined(was) || !is_behind_overwritten(granule))
        found = mixed_bits(&place, was, 0);
    let_go(state, found.bits ? was : WH_VALUES_DEFINED);
    return found;
}

struct whence_bits granule_bits(uintptr_t granule) { return find_bits(granule, 0); }

struct whence_bits granule_bits_alone(uintptr_t granule) { return find_bits(granule, 1); }

/* ---- changes ---- */

/* The undefined bits that the change leaves; the granule is held and was in the state `was`. */
static struct whence_bits kept_bits(struct place *place, uint8_t was, const struct change *change) {
    uint64_t kept = ~change->mask;
    if (!kept || was == WH_VALUES_DEFINED) return (struct whence_bits){0, 0};
    if (was == WH_VALUES_UNDEFINED) return rest_bits(place, kept, change->origin);
    struct whence_bits found = mixed_bits(place, was, change->mask);
    found.bits &= kept;
    return found;
}

/* If another block lies where this thread's last filled one was, with another word, the bytes that
 * agree with this one are taken for defined when they are read. */
void granule_filled(uintptr_t begin, uint64_t size, uint64_t origin) {
    __whence_values.filled = (struct whence_filled){~begin, size, origin_fill(origin)};
}

/* The other bytes of a block's undefined granule hold what the block was filled with. A detail that
 * is left from an earlier state of the granule can only leave fewer bits. */
static int is_as_filled(uintptr_t granule, uint8_t others) {
    uint64_t word = granule_word(granule), kept = bits_of_bytes(others);
    const struct whence_filled *last = &__whence_values.filled;
    if (granule - ~last->not_begin < last->size && !((last->word ^ word) & kept)) return 1;
    struct block block = block_of(granule);
    uint64_t origin = origin_of_block(block);
    if (!origin || !agrees(word, kept, origin)) return 0;
    granule_filled(block_begin(block), block_size(block), origin);
    return 1;
}

/* An undefined granule that is not the heap's, of which bytes are about to be written, still holds
 * its fill word: this thread keeps the origin. Other threads would not find it. */
static int is_as_begun(uintptr_t granule) {
    uint64_t word = granule_word(granule);
    if (os_has_threads() || blocks_in_heap(granule) || !origin_fills(word)) return 0;
    note_local(granule, word & ORIGIN_MASK);
    return 1;
}

int granule_define_bytes(uintptr_t granule, uint8_t bytes) {
    uint8_t was = granule_read(granule), rest = was & (uint8_t)~bytes;
    if (was == WH_VALUES_DEFINED) return 1;
    if (bytes == ALL_BYTES) {
        granule_define(granule);
        return 1;
    }
    if (rest && !granule_is_named(rest)) return 0;
    if (was == WH_VALUES_UNDEFINED ? !is_as_filled(granule, rest) && !is_as_begun(granule)
                                   : !granule_is_named(was))
        return 0;
    return rest == was || exchange(granule_state(granule), was, rest);
}

int granule_undefine_last(uintptr_t granule, uint64_t size, uint64_t origin) {
    if (!PORT_PLANES || !is_on_own_stack(granule) || *plane_state(granule) != size) return 0;
    uint8_t bytes = (uint8_t)((1u << size) - 1);
    note_local(granule, origin);
    *(volatile wh_word *)granule = origin_fill(origin);
    __atomic_store_n(granule_state(granule), bytes, __ATOMIC_RELEASE);
    return granule_is_named(bytes);
}

/* What a granule that is held has become; its state. */
static uint8_t note(struct place *place, struct whence_bits bits, uint64_t value) {
    uintptr_t granule = place->granule;
    if (!bits.bits) return WH_VALUES_DEFINED;
    if (bits.bits == ALL_BITS && origin_fills(value)) return WH_VALUES_UNDEFINED;
    struct detail *detail = details_at(granule);
    if (!detail) return WH_VALUES_DEFINED;
    if (last_local_of(granule)->granule == granule) last_local_of(granule)->granule = 0;
    WH_INVARIANT(granule % WH_GRANULE == 0);
    *detail = (struct detail){bits.bits, value, bits.origin | mark_of(block_of_place(place))};
    return mixed_state(bits.bits);
}

void granule_change(uintptr_t granule, const struct change *change) {
    uint8_t *state = granule_state(granule);
    uint8_t was = hold(state);
    if (was == WH_VALUES_BUSY) return;
    struct place place = {.granule = granule};
    struct whence_bits bits = kept_bits(&place, was, change);
    if (change->bits) bits.origin = change->origin;
    bits.bits |= change->bits;
    let_go(state, note(&place, bits, change->value));
}

int granule_store(uintptr_t granule, struct whence_bits bits) {
    if (os_has_threads()) return 0;
    struct place place = {.granule = granule};
    uint8_t state = note(&place, bits, granule_word(granule));
    __atomic_store_n(granule_state(granule), state, __ATOMIC_RELEASE);
    return 1;
}

void granule_clear(uintptr_t granule, uint8_t bytes) {
    if (granule_define_bytes(granule, bytes)) return;
    struct change change = {.mask = bits_of_bytes(bytes), .value = granule_word(granule)};
    granule_change(granule, &change);
}

uint64_t granule_bits_of(uintptr_t granule, uint8_t bytes) {
    uint8_t state = granule_read(granule);
    if (state == WH_VALUES_DEFINED || (granule_is_named(state) && !(state & bytes))) return 0;
    return granule_bits(granule).bits & bits_of_bytes(bytes);
}

/* ---- copies ---- */

/* The block, if any, that has all granules of a range. 0: that is not known. */
static int find_side(struct side *side, uintptr_t begin, uint64_t size) {
    struct block block = block_of(begin);
    side->block = block;
    side->mark = mark_of(block);
    side->is_asked = 0;
    if (!block_exists(block)) return !blocks_in_heap(begin) && !blocks_in_heap(begin + size - 1);
    return begin + size - block_begin(block) <= wh_round_up(block_size(block), WH_GRANULE);
}

/* The origin of the word that the block was filled with; 0: there is no such word. */
static uint64_t origin_of_side(struct side *side) {
    if (!side->is_asked) side->origin = origin_of_block(side->block);
    side->is_asked = 1;
    return side->origin;
}

int granule_kinship(struct kinship *kinship, uintptr_t to, uintptr_t from, uint64_t size) {
    kinship->bare = 0;
    return find_side(&kinship->from, from, size) && find_side(&kinship->to, to, size);
}

/* The detail of a granule that is copied, if it is about its block; most pages have none. */
static const struct detail *detail_of(uintptr_t granule, struct kinship *kinship) {
    uint64_t page = (granule >> OS_PAGE_SHIFT) + 1;
    if (kinship->bare == page) return NULL;
    const struct detail *detail = details_find(granule);
    if (!detail) kinship->bare = page;
    return detail && has_mark(detail, kinship->from.mark) ? detail : NULL;
}

/* As mixed_bits, of a granule with such a state; no bits: that is not known here. is_filled: they
 * are those of what the block was filled with. */
static struct whence_bits bits_to_copy(uintptr_t granule, uint8_t state, struct kinship *kinship,
                                       int *is_filled) {
    struct whence_bits found = {bits_of_bytes(state), 0};
    uint64_t word = granule_word(granule);
    const struct last_local *local = last_local_of(granule);
    *is_filled = 0;
    if (local->granule == granule)
        found.origin = local->origin;
    else {
        const struct detail *detail = detail_of(granule, kinship);
        if (detail && !(state & ~bytes_of_bits(detail->bits)) && is_as_noted(granule, detail, 0))
            return (struct whence_bits){found.bits & detail->bits, detail->origin & ORIGIN_MASK};
        found.origin = origin_of_side(&kinship->from);
        *is_filled = 1;
    }
    if (!found.origin || !agrees(word, found.bits, found.origin)) found.bits = 0;
    return found;
}

/* Bytes of a granule that lie `shift` bits further on in another one. */
static uint64_t shifted(uint64_t word, int shift) {
    return shift < 0 ? word << -shift : word >> shift;
}

/* Adds what a named granule keeps beside the bytes that a copy changes. 0: that is not known. */
static int add_kept(uintptr_t granule, uint8_t kept, uint64_t mask, uint64_t mark, uint64_t *bits) {
    const struct detail *detail = details_find(granule);
    if (!detail || !has_mark(detail, mark) || last_local_of(granule)->granule == granule) return 0;
    if ((kept & ~bytes_of_bits(detail->bits)) || !is_as_noted(granule, detail, mask)) return 0;
    *bits |= detail->bits & bits_of_bytes(kept);
    return 1;
}

int granule_copy_named(uintptr_t to, uint8_t bytes, uintptr_t from, int shift,
                       struct kinship *kinship) {
    uint8_t state = granule_read(from), was = granule_read(to), kept = was & (uint8_t)~bytes;
    if (!(shifted(state, shift / 8) & bytes)) return granule_define_bytes(to, bytes);
    if (bytes != ALL_BYTES && was != WH_VALUES_DEFINED && !granule_is_named(was)) return 0;
    int is_filled;
    struct whence_bits found = bits_to_copy(from, state, kinship, &is_filled);
    uint64_t mask = bits_of_bytes(bytes), bits = shifted(found.bits, shift) & mask;
    if (!bits || (kept && !add_kept(to, kept, mask, kinship->to.mark, &bits))) return 0;
    if (bytes != ALL_BYTES || !is_filled || found.origin != origin_of_side(&kinship->to)) {
        struct detail *detail = os_has_threads() ? NULL : details_at(to);
        if (!detail) return 0;
        uint64_t value = (granule_word(to) & ~mask) | (shifted(granule_word(from), shift) & mask);
        *detail = (struct detail){bits, value, found.origin | kinship->to.mark};
        if (last_local_of(to)->granule == to) last_local_of(to)->granule = 0;
    }
    __atomic_store_n(granule_state(to), mixed_state(bits), __ATOMIC_RELEASE);
    return 1;
}
