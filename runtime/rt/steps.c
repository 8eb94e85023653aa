/* Steps that may be undefined: arithmetic, and what the front end relies on. */
#include "access.h"
#include "classes.h"
#include "entry.h"
#include "event.h"
#include "order.h"
#include "reads.h"
#include "threads.h"
#include "../os/os.h"

static uint64_t least(uint64_t bits, int is_unsigned) {
    return is_unsigned ? 0 : ~0ull << (bits - 1);
}

static uint64_t greatest(uint64_t bits, int is_unsigned) {
    return ~0ull >> (64 - bits + !is_unsigned);
}

static void number(struct whence_event *event, uint64_t value, uint32_t desc) {
    uint64_t bits = (desc & (WHENCE_STEP_UNSIGNED - 1)) >> WHENCE_STEP_BITS_SHIFT;
    int is_unsigned = (desc & WHENCE_STEP_UNSIGNED) != 0;
    event->value = value;
    event->width = bits;
    if (!bits) return;
    event->low = least(bits, is_unsigned);
    event->high = greatest(bits, is_unsigned);
}

static void pointer(struct whence_event *event, uintptr_t address, uint64_t value, uint32_t desc) {
    event->r = event->root = address;
    event->value = value;
    event->width = desc >> WHENCE_STEP_SIZE_SHIFT;
    if (event->point == WH_POINT_ALIGNED) {
        event->width = value;
        event->value = address & (value - 1);
    }
    block_read(block_at(address), &event->block);
}

/* ---- pairs of pointers ---- */

/* The end of one block may be the begin of another. */
static struct block ends_at(uintptr_t address) {
    struct block block = block_at(address - 1);
    int ends = block_is_live(block) && block_begin(block) + block_size(block) == address;
    return ends ? block : block_none();
}

/* The blocks that a pointer may belong to: the one in which it lies, and the one at whose end. In
 * neither, it belongs to the one that it was visibly derived from, if it is still near it. */
struct belonging {
    struct block at, before;
};

static struct block derived_from(uintptr_t root) {
    struct block from = block_at(root);
    return block_is_live(from) ? from : ends_at(root);
}

static struct belonging belonging(uintptr_t address, uintptr_t root) {
    struct belonging to = {block_at(address), ends_at(address)};
    if (!block_is_live(to.at)) to.at = to.before;
    if (!block_exists(to.at) && !blocks_apart(address, root)) to.at = derived_from(root);
    return to;
}

/* Whether both pointers belong to live blocks, and certainly not to the same. */
static int apart(struct belonging a, struct belonging b) {
    if (!block_exists(a.at) || !block_exists(b.at)) return 0;
    if (block_same(a.at, b.at) || block_same(a.at, b.before)) return 0;
    return !block_same(a.before, b.at) &&
           !(block_exists(a.before) && block_same(a.before, b.before));
}

/* The block that a pointer was derived from where it has left it, else the one it belongs to. */
static struct block home(uintptr_t address, uintptr_t root, struct belonging to) {
    struct block from = derived_from(root);
    int stays = !block_exists(from) || address - block_begin(from) <= block_size(from);
    return stays ? to.at : from;
}

__attribute__((used, visibility("hidden"))) void
whence_pair_checked(uint64_t a, uint64_t b, uint32_t point, const struct frame *frame,
                    uint64_t root_a, uint64_t root_b) {
    thread_here();
    if (!event_watched(point)) return;
    struct belonging of_a = belonging(a, root_a), of_b = belonging(b, root_b);
    if (!apart(of_a, of_b)) return;
    struct context context = {0};
    struct pointer second = {.address = b, .root = root_b};
    context.event.point = point;
    context.event.r = a;
    context.event.root = root_a;
    context.event.other = b;
    context.event.value = 1;
    block_read(home(a, root_a, of_a), &context.event.block);
    block_read(home(b, root_b, of_b), &second.block);
    context.second = &second;
    context.frame = frame;
    event_evaluate(&context);
}

KEEPING_ENTRY("__whence_pair", "whence_pair_checked");

/* ---- accesses before main ---- */

static void order(uintptr_t address, const struct frame *frame) {
    if (!event_watched(WH_POINT_ORDER) || !order_is_early(address)) return;
    struct context context = {0};
    context.event.point = WH_POINT_ORDER;
    context.event.r = context.event.root = address;
    context.event.value = 1;
    block_read(block_at(address), &context.event.block);
    context.frame = frame;
    event_evaluate(&context);
}

/* ---- checks that the front end has written ---- */

/* The number that a type of so many bits has for these. */
static uint64_t converted(uint64_t value, const struct whence_site *site) {
    if (site->bits >= 64) return value;
    uint64_t kept = value & greatest(site->bits, 1);
    int negative = (site->traits & WHENCE_SITE_SIGNED) && kept >> (site->bits - 1);
    return negative ? kept | ~0ull << site->bits : kept;
}

static int is_conversion(uint64_t point) {
    return point == WH_POINT_CONVERT_UNSIGNED || point == WH_POINT_CONVERT_SIGNED ||
           point == WH_POINT_TO_SIGNED || point == WH_POINT_TO_UNSIGNED;
}

/* Generated code leaves functions at the begin of a page to this one: what is before them may not
 * be readable. */
static int is_of_another_type(uintptr_t function, const struct whence_site *site) {
    uint32_t words[2];
    if (!os_copy(words, function - sizeof words, sizeof words)) return 0;
    return words[0] == WHENCE_FUNCTION_MARK && words[1] != site->hash;
}

static int differs(struct whence_event *event, struct whence_site *site, const char **types) {
    *types = site->types;
    if (event->point == WH_POINT_CALLEE) return is_of_another_type(event->r, site);
    return !class_is_of(event->r, site, types);
}

static int is_typed(uint64_t point) {
    return is_conversion(point) || point == WH_POINT_ENUMERATION || point == WH_POINT_CALLEE ||
           point == WH_POINT_OBJECT;
}

static void typed(uint64_t point, uint64_t value, struct whence_site *site,
                  const struct frame *frame) {
    struct context context = {.types = site->types, .frame = frame};
    struct whence_event *event = &context.event;
    if (!event_watched(point)) return;
    event->point = point;
    event->value = value;
    if (is_conversion(point)) {
        event->other = converted(value, site);
        event->width = (site->traits & WHENCE_SITE_NARROW) != 0;
    } else if (point == WH_POINT_ENUMERATION) {
        event->low = least(site->bits, !(site->traits & WHENCE_SITE_SIGNED));
        event->high = greatest(site->bits, !(site->traits & WHENCE_SITE_SIGNED));
    } else {
        event->r = event->root = value;
        event->value = 1;
        if (!differs(event, site, &context.types)) return;
        block_read(block_at(value), &event->block);
    }
    event_evaluate(&context);
}

/* Whether the access that comes next is wrong by itself: the graver error of both is named first.
 */
static int is_judged_next(uintptr_t address, uint64_t size) {
    if (!event_watched(WH_POINT_DEREF_R) && !event_watched(WH_POINT_DEREF_W)) return 0;
    return address < WH_NULL_PAGE_SIZE || !access_clean(address, size) || !os_readable(address);
}

__attribute__((used, visibility("hidden"))) void
whence_step_checked(uint64_t a, uint64_t b, uint32_t desc, const struct frame *frame) {
    struct context context = {0};
    thread_here();
    context.event.point = desc & WHENCE_STEP_POINT;
    if (context.event.point == WH_POINT_ORDER) {
        order(a, frame);
        return;
    }
    if (context.event.point == WH_POINT_READ) {
        read_memory(a, b, NULL, frame);
        return;
    }
    if (is_typed(context.event.point)) {
        typed(context.event.point, a, (struct whence_site *)b, frame);
        return;
    }
    if (desc & WHENCE_STEP_POINTER) {
        pointer(&context.event, a, b, desc);
    } else {
        number(&context.event, a, desc);
        context.event.other = b;
    }
    context.frame = frame;
    thread_self.put_off.point = 0;
    if (context.event.point == WH_POINT_ALIGN && is_judged_next(a, context.event.width))
        event_put_off(&context.event);
    else
        event_evaluate(&context);
}

KEEPING_ENTRY("__whence_step", "whence_step_checked");
