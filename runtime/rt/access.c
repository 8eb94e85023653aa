#include "access.h"
#include "entry.h"
#include "ignored.h"
#include "locals.h"
#include "signals.h"
#include "../findings/repeat.h"
#include "../os/os.h"
#include "../planes/planes.h"

#include <signal.h>

/* ---- addressability ---- */

uintptr_t port_first_bad(uintptr_t address, uint64_t size) {
    if (!size) return address;
    if (!plane_covers(address)) return address;
    uintptr_t end = size > ADDRESS_END - address ? ADDRESS_END : address + size;
    uintptr_t reach = blocks_reach(address);
    if (end > reach) end = reach;
    uint64_t scanned = end - address;
    if (scanned > ACCESS_SCAN_MOST && !blocks_govern(address)) scanned = ACCESS_SCAN_MOST;
    uintptr_t last = address + scanned, bad = plane_first_bad(address, scanned);
    while (bad != last && locals_open_litter(bad)) bad = plane_first_bad(bad, last - bad);
    if (bad != last && locals_spanned(address, end, bad)) return end;
    return bad == last ? end : bad;
}

int access_clean(uintptr_t address, uint64_t size) {
    if (!size) return 1;
    if (size > ACCESS_SCAN_MOST || !plane_covers(address) || size > ADDRESS_END - address)
        return port_first_bad(address, size) == address + size;
    if (heap_state_exact(address) && plane_clean(address, size)) return 1;
    return port_first_bad(address, size) == address + size;
}

/* ---- bounds ---- */

WH_EXPORT struct whence_bounds __whence_bounds(uint64_t root) {
    if (WH_UNLIKELY(__whence_holes || event_every)) return (struct whence_bounds){0, 0};
    return blocks_extent(root);
}

/* Whether the root's live heap block contains all of the access. This reads one record, however
 * long the access is. */
static int in_block_of(uintptr_t root, uintptr_t address, uint64_t size) {
    struct whence_bounds block = heap_live_range(root);
    return address - block.begin < block.size && size <= block.size - (address - block.begin) &&
           !__whence_holes && !event_every && !locals_inner();
}

/* ---- provenance ---- */

/* Where pointers that have left their blocks lead to: a bit for each of many addresses, so some
 * others count as such as well. Bits are never cleared, because copies of the pointers may live as
 * long as the process. */
#define STRAYS (1u << 17)
static uint32_t strays[STRAYS / 32];

static uint32_t stray_number(uintptr_t pointer) {
    return (uint32_t)((pointer >> 4) * 0x9e3779b97f4a7c15ull >> 32) % STRAYS;
}

static int is_stray(uintptr_t pointer) {
    uint32_t number = stray_number(pointer);
    return __atomic_load_n(&strays[number / 32], __ATOMIC_RELAXED) >> number % 32 & 1;
}

WH_EXPORT void __whence_check_stray(uint64_t pointer, uint64_t root) {
    if (!blocks_apart(pointer, root) || is_stray(pointer)) return;
    uint32_t number = stray_number(pointer);
    __atomic_fetch_or(&strays[number / 32], 1u << number % 32, __ATOMIC_RELAXED);
}

static struct block judged_at(uintptr_t address) {
    struct block inner = block_inner(address);
    return block_exists(inner) ? inner : block_at(address);
}

/* Whether the pointer leads to the begin of the live block, or to the first element of the array in
 * it, and was not computed from another block as far as is known. */
static int is_begin(struct block block, uintptr_t pointer) {
    if (!block_is_live(block) || is_stray(pointer)) return 0;
    uint64_t offset = pointer - block_begin(block);
    return !offset || offset == block_cookie(block);
}

/* The block the access is judged against.
 *
 * An addressable access is judged only where the root is the begin of another
 * live block. Any other root may be in that block by chance: compressors and
 * 1-based arrays keep `base = buffer - index` and use base[index], `p += new - old`
 * leaves a root in the freed block, and the end of one block may be the next. An access
 * that is not addressable is judged against the block of its root, or one near the address;
 * where nothing is near, as in memory that no block used yet, against one near the root. */
static struct block judge(uintptr_t address, uintptr_t root, int clean) {
    struct block of_root = judged_at(root);
    if (clean) {
        int judged = is_begin(of_root, root) && !block_same(of_root, judged_at(address));
        return judged ? of_root : block_none();
    }
    if (block_exists(of_root)) return of_root;
    struct block near = block_inner(address);
    if (!block_exists(near)) near = block_nearest(address);
    return block_exists(near) ? near : block_nearest(root);
}

/* ---- the check ---- */

static void describe(struct context *context, uintptr_t address, uint64_t size, uintptr_t root,
                     int write) {
    context->event.point = write ? WH_POINT_DEREF_W : WH_POINT_DEREF_R;
    context->event.r = address;
    context->event.root = root;
    context->event.width = size > UINT64_MAX - address ? UINT64_MAX - address : size;
    context->beyond = size - context->event.width;
    if (write) context->flags |= WH_FLAG_WRITE;
}

/* A library function that would access what a null pointer points to: is that a finding
 * of its own? */
static int judge_argument(const char *library, const struct frame *frame) {
    struct context context = {0};
    context.event.point = WH_POINT_ARGUMENT;
    context.frame = frame;
    context.library = library;
    return event_evaluate(&context) != 0;
}

void access_null(const char *library, const struct frame *frame) {
    if (event_watched(WH_POINT_ARGUMENT)) judge_argument(library, frame);
}

void access_overlap(uintptr_t to, uint64_t written, uintptr_t from, uint64_t read,
                    const char *library, const struct frame *frame) {
    if (!event_watched(WH_POINT_COPY) || written > PTRDIFF_MAX || read > PTRDIFF_MAX) return;
    if (repeat_has_length(frame)) return;
    struct context context = {0};
    context.event.point = WH_POINT_COPY;
    context.event.r = context.event.root = to;
    context.event.width = written;
    context.event.other = from;
    context.event.value = read;
    block_read(block_nearest(to), &context.event.block);
    context.frame = frame;
    context.library = library;
    event_evaluate(&context);
}

/* ---- lengths beyond what is mapped ---- */

/* Asking about a stack makes it grow, as the access will. */
static int is_mapped(uintptr_t address) {
    return address < ADDRESS_END && os_readable_word(address);
}

/* How many bytes from `address` on are mapped, of the first so many. */
#define MAPPED_MOST (4ull << 30)

static uint64_t mapped_bytes(uintptr_t address, uint64_t size) {
    uint64_t count = 0;
    while (count < size && count < MAPPED_MOST && is_mapped(address + count))
        count = wh_round_down(address + count, OS_PAGE) + OS_PAGE - address;
    return count < size ? count : size;
}

/* Memory that blocks govern is judged by its blocks. A program that handles SIGSEGV may map the
 * missing pages. */
static WH_COLD int judge_length(uintptr_t address, uint64_t size, int write, const char *library,
                                const struct frame *frame) {
    if (address < WH_NULL_PAGE_SIZE || blocks_govern(address)) return 0;
    if (!event_watched(WH_POINT_LENGTH)) return 0;
    if (size <= ADDRESS_END - address && is_mapped(address + size - 1)) return 0;
    if (!signals_end(SIGSEGV)) return 0;
    struct context context = {0};
    context.event.point = WH_POINT_LENGTH;
    context.event.r = context.event.root = address;
    context.event.width = size;
    context.event.value = mapped_bytes(address, size);
    context.frame = frame;
    context.library = library;
    context.flags = write ? WH_FLAG_WRITE | WH_FLAG_LIBRARY : WH_FLAG_LIBRARY;
    return event_evaluate(&context) != 0;
}

/* ---- accesses ---- */

/* The first byte of an access that is to be reported: of one that is wrong because of its root
 * (`clean`), of all its bytes, else of those that are not addressable. Its end: there is none. */
static WH_COLD uintptr_t first_reported(uintptr_t address, uint64_t size, int clean) {
    uintptr_t end = address + size, at = clean ? address : port_first_bad(address, size);
    while (at < end) {
        uintptr_t past = ignored_end(at);
        if (past == at) return at;
        if (past >= end) break;
        at = clean ? past : port_first_bad(past, end - past);
    }
    return end;
}

uintptr_t access_reported(uintptr_t address, uint64_t size) {
    return first_reported(address, size, 0);
}

static WH_COLD void judge_access(uintptr_t address, uint64_t size, uintptr_t root, int write,
                                 const char *library, const struct frame *frame, int clean,
                                 int requested) {
    struct block block = judge(address, root, clean);
    uintptr_t bad = clean ? address : port_first_bad(address, size);
    if (clean && !block_exists(block) && root >= WH_NULL_PAGE_SIZE) {
        if (!event_watched_every(write ? WH_POINT_DEREF_W : WH_POINT_DEREF_R)) return;
        block = block_at(address);
    } else if (WH_UNLIKELY(__atomic_load_n(&ignored_any, __ATOMIC_RELAXED)) && !requested &&
               size <= UINTPTR_MAX - address) {
        bad = first_reported(address, size, clean);
        if (bad == address + size) return;
    }
    if (library && !address && event_watched(WH_POINT_ARGUMENT) && judge_argument(library, frame))
        return;
    struct context context = {0};
    describe(&context, address, size, root, write);
    block_read_accessible(block, &context.event.block);
    context.frame = frame;
    context.library = library;
    if (library) context.flags |= WH_FLAG_LIBRARY;
    context.bad = bad;
    event_evaluate(&context);
}

/* Whether the access may leave the block of its root although its bytes are addressable: that needs
 * a root in another room. A byte that a null root leads to may be unmapped. */
static int is_suspect_root(uintptr_t root, uintptr_t address) {
    return root < WH_NULL_PAGE_SIZE || (blocks_parted(root, address) && blocks_govern(root));
}

static inline void check(uintptr_t address, uint64_t size, uintptr_t root, int write,
                         const char *library, const struct frame *frame, int requested) {
    if (!size || in_block_of(root, address, size)) return;
    if (WH_UNLIKELY(size > WH_NULL_PAGE_SIZE) && library &&
        judge_length(address, size, write, library, frame))
        return;
    uintptr_t before = thread_self.judging;
    thread_self.judging = (uintptr_t)(frame + 1);
    int clean = access_quick(address, size) || access_clean(address, size);
    if (WH_UNLIKELY(!clean) || is_suspect_root(root, address) ||
        event_watched_every(write ? WH_POINT_DEREF_W : WH_POINT_DEREF_R))
        judge_access(address, size, root, write, library, frame, clean, requested);
    thread_self.judging = before;
}

void access_check(uintptr_t address, uint64_t size, uintptr_t root, int write, const char *library,
                  const struct frame *frame) {
    check(address, size, root, write, library, frame, 0);
}

void access_check_request(uintptr_t address, uint64_t size, const char *request,
                          const struct frame *frame) {
    check(address, size, address, 0, request, frame, 1);
}

uint64_t port_trapped(struct context *context, uintptr_t address, int write) {
    uint64_t width = context->event.width; /* 0: nothing is known but the byte that trapped */
    uintptr_t begin = width ? context->event.r : address;
    describe(context, begin, width ? width : 1, begin, write);
    block_read_accessible(block_nearest(address), &context->event.block);
    context->bad = address;
    return event_evaluate(context);
}

/* ---- entry points ---- */

/* The function whose call the program wrote; NULL where the compiler may have made it. */
static const char *written_function(uint32_t desc) {
    static const char *const names[] = {
        [WHENCE_DESC_MEMCPY] = "memcpy",
        [WHENCE_DESC_MEMMOVE] = "memmove",
        [WHENCE_DESC_MEMSET] = "memset",
    };
    return names[desc >> WHENCE_DESC_FUNCTION_SHIFT & 3];
}

WH_EXPORT void __whence_range(uint64_t address, uint64_t size, uint64_t root, uint32_t desc) {
    if (WH_LIKELY(access_fine(address, size, root))) return;
    thread_here();
    access_check(address, size, root, (desc & WHENCE_DESC_WRITE) != 0, written_function(desc),
                 FRAME_HERE);
}

WH_EXPORT void __whence_copy(uint64_t to, uint64_t from, uint64_t size, uint32_t desc) {
    thread_here();
    access_overlap(to, size, from, size, written_function(desc), FRAME_HERE);
}

__attribute__((used, visibility("hidden"))) void
whence_access_checked(uint64_t address, uint64_t root, uint32_t desc, const struct frame *frame) {
    uint64_t size = desc & WHENCE_DESC_SIZE;
    if (desc & WHENCE_DESC_COPY) {
        access_overlap(address, size, root, size, NULL, frame);
        return;
    }
    access_check(address, size, root, (desc & WHENCE_DESC_WRITE) != 0, NULL, frame);
}

KEEPING_ENTRY("__whence_access", "whence_access_checked");
