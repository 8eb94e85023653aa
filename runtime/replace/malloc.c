/* malloc and its relatives, which replace those of the C library for the whole process. */
#include "../alloc/heap.h"
#include "../alloc/loader.h"
#include "../events/events.h"
#include "../rt/event.h"
#include "../settings/options.h"
#include "../guard/guard.h"
#include "../symbolic/failing.h"
#include "../symbolic/unseen.h"
#include "../guard/lend.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include "allocate.h"
#include "replaced.h"

/* ---- the cold sides ---- */

/* The alignment of a block for which the program requests none. */
#define ANY_ALIGNMENT 16u

WH_COLD void report_wish(const struct wish *wish, const struct frame *frame) {
    if (!event_watched(WH_POINT_ALLOC)) return;
    struct context context = {0};
    context.event.point = WH_POINT_ALLOC;
    context.event.width = wish->count;
    context.event.value = wish->size;
    context.event.other = wish->alignment;
    context.event.least = wish->least;
    context.event.family = wish->family;
    context.frame = frame;
    context.library = wish->function;
    event_evaluate(&context);
}

static WH_COLD void report_size(const struct heap_request *request, const struct frame *frame) {
    static const char *const names[] = {
        [WH_FAMILY_MALLOC] = "malloc",
        [WH_FAMILY_NEW] = "operator new",
        [WH_FAMILY_NEW_ARRAY] = "operator new[]",
    };
    struct wish wish = {names[request->family], 1, request->size,
                        request->alignment,     1, request->family};
    report_wish(&wish, frame);
}

#define LARGE (1ull << 30) /* may fail anywhere */

static WH_COLD void note_limit(uint64_t size) {
    static int noted;
    if (PORT_CHECKS && size < LARGE && os_memory_limited())
        rt_note(&noted,
                "the program has limited its memory (setrlimit), and the limit counts what the "
                "checks reserve, too: its allocations fail");
}

static void report_free(uintptr_t address, const struct parting *parting,
                        const struct frame *frame) {
    uint8_t family = parting->family;
    if (!event_watched(WH_POINT_FREE)) return;
    struct context context =
        context_about(WH_POINT_FREE, address, parting->size, block_nearest(address), frame);
    context.event.family = family;
    context.event.value = parting->sized;
    context.event.other = parting->alignment;
    if (family != WH_FAMILY_MALLOC)
        context.library = family == WH_FAMILY_NEW ? "operator delete" : "operator delete[]";
    event_evaluate(&context);
}

static WH_COLD void report_resize(uintptr_t address, uint64_t size, const struct frame *frame) {
    struct context context =
        context_about(WH_POINT_REALLOC, address, size, block_nearest(address), frame);
    context.library = "realloc";
    event_evaluate(&context);
}

/* ---- allocation ---- */

static void *allocate_for(struct heap_request *request, uintptr_t replaces,
                          const struct frame *frame) {
    struct thread *thread = thread_here();
    if (WH_LIKELY(!PORT_GUARDS || !lend_everything)) request->stack = port_stack(thread, frame);
    request->thread = thread->number;
    if (PORT_GUARDS) guard_set_frame(frame);
    uintptr_t begin = heap_new(&thread->cache, request);
    if (WH_UNLIKELY(!begin)) {
        if (request->size > PTRDIFF_MAX) report_size(request, frame);
        note_limit(request->size);
        errno = ENOMEM;
        return NULL;
    }
    const struct made_block made = {begin, request, frame, replaces};
    announce_made(&made);
    return (void *)begin;
}

void *allocate_slowly(struct heap_request *request, const struct frame *frame) {
    return allocate_for(request, 0, frame);
}

/* Whether a live block is what the program says of it. */
static inline int is_as_said(struct block block, const struct parting *parting) {
    return block_family(block) == parting->family && block_align(block) == parting->alignment &&
           (!parting->sized || block_size(block) == parting->size);
}

void release_slowly(void *pointer, const struct parting *parting, const struct frame *frame) {
    if (!pointer) return;
    struct thread *thread = thread_here();
    uintptr_t address = (uintptr_t)pointer;
    if (loader_owns(address)) {
        loader_free(address);
        return;
    }
    if (WH_UNLIKELY(PORT_GUARDS && lend_owns(address))) {
        lend_free(pointer);
        return;
    }
    struct block block = heap_block(address);
    int matches = heap_begins_live(block, address) && is_as_said(block, parting);
    if (WH_UNLIKELY(!matches || event_watched_every(WH_POINT_FREE))) {
        report_free(address, parting, frame);
        if (!heap_begins_live(block, address)) return; /* nothing that could be freed */
    }
    if (PORT_GUARDS && !guard_may_free(block, frame)) return;
    announce_freed(address);
    uint32_t stack = port_stack(thread, frame);
    if (WH_UNLIKELY(!heap_release(&thread->cache, block, stack, thread->number)))
        report_free(address, parting, frame); /* another thread was quicker */
}

static inline void *allocate_plain(size_t size, const struct frame *frame) {
    return allocate_sized(size, WH_FAMILY_MALLOC, 0, frame);
}

static void *no_memory(void) {
    errno = ENOMEM;
    return NULL;
}

/* Whether this request fails, as an exploration or its test wants. */
#define FAILS                                                                                      \
    (FAILING_MEMORY && failing_memory(FAILING_MALLOC, (uintptr_t)__builtin_return_address(0)))

/* ---- the dynamic loader's requests ---- */

static WH_COLD int starts_or_loads(const void *caller) {
    thread_here(); /* before that, it is not known where the loader is */
    return loader_runs(caller);
}

#define LOADER_CALLS                                                                               \
    (WH_UNLIKELY(loader_runs(__builtin_return_address(0))) &&                                      \
     starts_or_loads(__builtin_return_address(0)))

static WH_COLD void *allocate_for_loader(size_t size) {
    void *pointer = loader_new(size);
    return pointer ? pointer : no_memory();
}

static WH_COLD void *reallocate_for_loader(void *pointer, size_t size) {
    void *fresh = size ? allocate_for_loader(size) : NULL;
    size_t old = loader_size((uintptr_t)pointer);
    if (fresh) wh_copy(fresh, pointer, old < size ? old : size);
    if (fresh || !size) loader_free((uintptr_t)pointer);
    return fresh;
}

/* ---- requests with more than a size ---- */

/* More than PTRDIFF_MAX bytes. */
static WH_COLD void *too_much(const char *function, size_t count, size_t size,
                              const struct frame *frame) {
    struct wish wish = {function, count, size, ANY_ALIGNMENT, 1, WH_FAMILY_MALLOC};
    report_wish(&wish, frame);
    return no_memory();
}

/* Whether the alignment is one that the function accepts; shows size and alignment to the rules. */
static int check_alignment(const char *function, size_t size, size_t alignment, size_t least,
                           const struct frame *frame) {
    int good = is_power_of_two(alignment) && alignment >= least;
    struct wish wish = {function, 1, size, alignment, least, WH_FAMILY_MALLOC};
    if (!good || size > PTRDIFF_MAX) report_wish(&wish, frame);
    return good;
}

/* The alignment is a power of two. */
static void *allocate_aligned(size_t alignment, size_t size, const struct frame *frame) {
    size_t used = alignment < ANY_ALIGNMENT ? ANY_ALIGNMENT : alignment;
    struct heap_request request = {size, used, 0, 0, WH_FAMILY_MALLOC, 0, 0, 0};
    return size > PTRDIFF_MAX ? no_memory() : allocate_slowly(&request, frame);
}

/* Every block moves when its size changes, so that stale pointers are found, unless the user wants
 * it otherwise. */
static void *reallocate(void *pointer, size_t size, const struct frame *frame) {
    if (!pointer) return allocate_plain(size, frame);
    uintptr_t address = (uintptr_t)pointer;
    if (loader_owns(address)) return reallocate_for_loader(pointer, size);
    if (WH_UNLIKELY(event_watched(WH_POINT_REALLOC))) report_resize(address, size, frame);
    if (!size) {
        release(pointer, WH_FAMILY_MALLOC, frame);
        return NULL;
    }
    if (WH_UNLIKELY(PORT_GUARDS && lend_owns(address))) return lend_resize(pointer, size);
    struct block block = heap_block(address);
    if (WH_UNLIKELY(!heap_begins_live(block, address))) {
        const struct parting parting = {0, 0, WH_FAMILY_MALLOC, 0};
        report_free(address, &parting, frame);
        return allocate_plain(size, frame);
    }
    uint64_t old = block_size(block);
    int stays = !options.realloc_moves && block_family(block) == WH_FAMILY_MALLOC;
    if (stays && heap_resize(block, size)) {
        if (size > old) announce_extended(block, old, frame);
        announce_resized(address, old, size);
        return pointer;
    }
    uint8_t grows = stays && size > old;
    struct heap_request request = {size, ANY_ALIGNMENT, 0, 0, WH_FAMILY_MALLOC, 0, grows, 0};
    void *fresh =
        grows || PORT_CHECKS ? allocate_for(&request, address, frame) : allocate_plain(size, frame);
    if (!fresh) return NULL;
    uint64_t kept = old < size ? old : size;
    const struct block_move move = {block, heap_block((uintptr_t)fresh), address, (uintptr_t)fresh,
                                    kept};
    announce_moves(&move);
    if (!heap_move_pages(block, move.to, kept))
        wh_copy_short(fresh, pointer, kept);
    else /* what moved pages leave behind them is zero */
        announce_extended(move.to, kept, frame);
    announce_moved(&move);
    release(pointer, WH_FAMILY_MALLOC, frame);
    return fresh;
}

/* ---- the functions ---- */

WH_EXPORT void *malloc(size_t size) {
    if (LOADER_CALLS) return allocate_for_loader(size);
    if (FAILS) return no_memory();
    return allocate_plain(size, FRAME_HERE);
}
ALIAS(malloc);
UNSEEN_ALLOCATION(malloc, TAKES_SIZE)

WH_EXPORT void *calloc(size_t count, size_t size) {
    ptrdiff_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return too_much("calloc", count, size, FRAME_HERE);
    if (LOADER_CALLS) return allocate_for_loader((size_t)bytes);
    if (FAILS) return no_memory();
    return allocate_sized((size_t)bytes, WH_FAMILY_MALLOC, 1, FRAME_HERE);
}
ALIAS(calloc);
UNSEEN_ALLOCATION(calloc, TAKES_SIZE)

WH_EXPORT void free(void *pointer) { release(pointer, WH_FAMILY_MALLOC, FRAME_HERE); }
ALIAS(free);
UNSEEN_ALLOCATION(free, TAKES_BLOCK)

/* Gone from the C library's headers, not from old programs. */
void cfree(void *pointer);
WH_EXPORT void cfree(void *pointer) { release(pointer, WH_FAMILY_MALLOC, FRAME_HERE); }
ALIAS(cfree);

WH_EXPORT void *realloc(void *pointer, size_t size) {
    if (WH_UNLIKELY(size > PTRDIFF_MAX)) return too_much("realloc", 1, size, FRAME_HERE);
    if (!pointer && LOADER_CALLS) return allocate_for_loader(size);
    if (size && FAILS) return no_memory();
    return reallocate(pointer, size, FRAME_HERE);
}
ALIAS(realloc);
UNSEEN_ALLOCATION(realloc, TAKES_BLOCK | TAKES_SIZE)

WH_EXPORT void *reallocarray(void *pointer, size_t count, size_t size) {
    ptrdiff_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return too_much("reallocarray", count, size, FRAME_HERE);
    if (bytes && FAILS) return no_memory();
    return reallocate(pointer, (size_t)bytes, FRAME_HERE);
}
ALIAS(reallocarray);

WH_EXPORT void *memalign(size_t alignment, size_t size) {
    size_t power = ANY_ALIGNMENT;
    check_alignment("memalign", size, alignment, 1, FRAME_HERE);
    if (FAILS) return no_memory();
    while (power < alignment && power < HEAP_MAX_ALIGNMENT) power *= 2;
    return allocate_aligned(power, size, FRAME_HERE);
}
ALIAS(memalign);

WH_EXPORT void *aligned_alloc(size_t alignment, size_t size) {
    if (!check_alignment("aligned_alloc", size, alignment, 1, FRAME_HERE)) {
        errno = EINVAL;
        return NULL;
    }
    if (FAILS) return no_memory();
    return allocate_aligned(alignment, size, FRAME_HERE);
}
ALIAS(aligned_alloc);

WH_EXPORT int posix_memalign(void **result, size_t alignment, size_t size) {
    if (!check_alignment("posix_memalign", size, alignment, sizeof(void *), FRAME_HERE))
        return EINVAL;
    if (FAILS) return ENOMEM;
    int saved = errno;
    void *pointer = allocate_aligned(alignment, size, FRAME_HERE);
    errno = saved;
    if (!pointer) return ENOMEM;
    *result = pointer;
    return 0;
}
ALIAS(posix_memalign);

WH_EXPORT void *valloc(size_t size) {
    if (size > PTRDIFF_MAX) return too_much("valloc", 1, size, FRAME_HERE);
    if (FAILS) return no_memory();
    return allocate_aligned(OS_PAGE, size, FRAME_HERE);
}
ALIAS(valloc);

WH_EXPORT void *pvalloc(size_t size) {
    if (size > PTRDIFF_MAX) return too_much("pvalloc", 1, size, FRAME_HERE);
    if (size > HEAP_MAX_SIZE || FAILS) return no_memory();
    return allocate_aligned(OS_PAGE, wh_round_up(size, OS_PAGE), FRAME_HERE);
}
ALIAS(pvalloc);

WH_EXPORT size_t malloc_usable_size(void *pointer) {
    if (loader_owns((uintptr_t)pointer)) return loader_size((uintptr_t)pointer);
    if (WH_UNLIKELY(PORT_GUARDS && lend_owns((uintptr_t)pointer))) return lend_size(pointer);
    struct block block = heap_block((uintptr_t)pointer);
    return heap_begins_live(block, (uintptr_t)pointer) ? block_size(block) : 0;
}
ALIAS(malloc_usable_size);

/* ---- the program's own ---- */

SET_OWN(malloc);
SET_OWN(free);
