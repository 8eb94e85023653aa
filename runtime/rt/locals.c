#include "locals.h"
#include "../blocks/provider.h"
#include "../os/os.h"
#include "../planes/planes.h"
#include "../process/blocked.h"
#include "../process/closed.h"
#include "../process/contexts.h"
#include "../process/gaps.h"
#include "../process/kind.h"
#include "../process/thread.h"

/* Where stacks of threads are: the kernel maps from the top of the address space downward. */
#define STACKS_BEGIN 0x7f0000000000ull

/* A frame is no larger than this, so that what a header says of its own is not followed far. */
#define FRAME_MOST (64ull << 20)

/* The same of the runtime's own; signals are also reported on a stack of its own. */
#define RUNTIME_MOST (64ull << 10)

/* What lies together is opened at once, so that a frame costs one visit of the cold path or two. */
#define LITTER_MOST 1024u

typedef const struct whence_local *local;

/* A variable: live, its scope ended, or returned. */
struct place {
    uintptr_t begin;
    const struct whence_variable *variable;
    uint64_t size;
    uint16_t thread; /* the number of the one that has it, or that asks */
};

/* The part of a stack that can hold variables: what lies below the caller of the runtime is dead.
 */
static int stack_around(uintptr_t address, struct stack_bounds *stack) {
    *stack = thread_self.stack;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (address >= stack->low && address < stack->high) {
        if (here >= stack->low && here < stack->high) stack->low = here;
        return address >= stack->low;
    }
    return kind_stack_of(address, stack);
}

/* The header of the last variable that begins at or before the address, by the state plane. */
static local header_before(uintptr_t address, uintptr_t low) {
    uintptr_t at = wh_round_down(address, WH_GRANULE);
    if (*plane_state(at) == WH_STATE_STACK_BEGIN) {
        while (*plane_state(at) == WH_STATE_STACK_BEGIN) at += WH_GRANULE;
        return (local)(at - sizeof(struct whence_local));
    }
    while (at > low) {
        at -= WH_GRANULE;
        if (*plane_state(at) == WH_STATE_STACK_BEGIN)
            return (local)(at + WH_GRANULE - sizeof(struct whence_local));
        while (at % (8 * WH_GRANULE) == 0 && at > low + 8 * WH_GRANULE &&
               *(const wh_word *)plane_state(at - 8 * WH_GRANULE) == 0)
            at -= 8 * WH_GRANULE;
    }
    return NULL;
}

static int holds_word(const struct stack_bounds *stack, uintptr_t at) {
    return at >= stack->low && at < stack->high && stack->high - at >= sizeof(uint64_t) &&
           at % sizeof(uint64_t) == 0;
}

/* ---- variables whose size is not constant ---- */

static struct whence_varying *varying_of(uintptr_t begin) {
    return (struct whence_varying *)(begin - sizeof(struct whence_local)) - 1;
}

/* A header may be of a function whose image is no longer loaded. */
static const struct whence_variable *described(const struct whence_variable *variable) {
    return closed_kept(variable);
}

static int varies(local header) { return described(header->variable)->size == WHENCE_SIZE_VARIES; }

static uint64_t size_of(local header) {
    return varies(header) ? varying_of((uintptr_t)(header + 1))->size
                          : described(header->variable)->size;
}

/* Whether the activation has made the variable and not yet released it. The chain leads upward. */
static int is_in_chain(local header, const struct stack_bounds *stack) {
    uintptr_t begin = (uintptr_t)(header + 1), at = 0;
    uintptr_t chain = varying_of(begin)->chain;
    if (chain < begin || chain >= header->frame || !holds_word(stack, chain)) return 0;
    uintptr_t next = *(const uint64_t *)chain;
    while (next > at && next < begin && next >= stack->low && next % sizeof(uint64_t) == 0) {
        at = next;
        next = varying_of(at)->earlier;
    }
    return next == begin;
}

/* Opens what lies between the caller's stack pointer and `end`, and takes it out of the chain. */
static void release(uintptr_t end, uint64_t *chain) {
    uintptr_t here = wh_round_down((uintptr_t)__builtin_frame_address(0), WH_GRANULE);
    while (*chain && *chain < end) *chain = varying_of(*chain)->earlier;
    if (here < end) plane_set(here, wh_round_down(end - here, WH_GRANULE), WH_STATE_ADDRESSABLE);
}

WH_EXPORT void __whence_released(uint64_t end, uint64_t *chain) { release(end, chain); }

/* The same where variables die with their scopes: they are closed. */
WH_EXPORT void __whence_ended(uint64_t end, uint64_t *chain) {
    struct whence_returned_ring *ring = &__whence_returned;
    for (uintptr_t at; (at = *chain) && at < end; *chain = varying_of(at)->earlier) {
        const struct whence_variable *variable = ((local)at - 1)->variable;
        uintptr_t last = wh_round_up(at + varying_of(at)->size, WH_GRANULE);
        uintptr_t begin = at - variable->before;
        plane_set(begin, last + variable->after - begin, WH_STATE_STACK_RETURNED);
        ring->sizes[ring->count % WHENCE_RETURNED_ROWS] = varying_of(at)->size;
        ring->rows[ring->count++ % WHENCE_RETURNED_ROWS] = (struct whence_returned){at, variable};
    }
}

/* What longjmp has released lies below the caller's stack pointer; it is litter. */
WH_EXPORT void __whence_jumped(uint64_t *chain) {
    release((uintptr_t)__builtin_frame_address(0), chain);
}

WH_EXPORT void __whence_made(uint64_t begin, uint64_t size, const struct whence_variable *variable,
                             uint64_t *chain) {
    const uint64_t *frame = *(const uint64_t *const *)__builtin_frame_address(0);
    struct whence_local *header = (struct whence_local *)begin - 1;
    *varying_of(begin) = (struct whence_varying){size, *chain, (uint64_t)chain, 0};
    *header = (struct whence_local){variable, (uint64_t)frame, frame[1], 0};
    *chain = begin;
    plane_set(begin - variable->before, variable->before, WH_STATE_STACK_BEGIN);
    plane_open(begin, size);
    plane_set(wh_round_up(begin + size, WH_GRANULE), variable->after, WH_STATE_STACK_RED_ZONE);
}

/* ---- which variable lives ---- */

/* The frame by which the program called the runtime; NULL if it is not known. Frames of the
 * runtime have frame pointers. A rule that looks a block up stands between it and the program. */
static const struct frame *program_frame(void) {
    if (thread_self.judging) return (const struct frame *)thread_self.judging - 1;
    const struct frame *frame = __builtin_frame_address(0);
    while (kind_in_runtime(frame->return_address)) {
        if ((uintptr_t)frame->up - (uintptr_t)frame - 1 >= RUNTIME_MOST) return NULL;
        frame = frame->up;
    }
    return frame;
}

/* The first frame at or after the address that a walk along the frames on this stack meets; 0 if
 * the walk cannot tell. */
static uintptr_t frame_on(const struct stack_bounds *stack, uintptr_t address) {
    const struct frame *first = program_frame();
    if (!first || !unwind_on_stack(first, stack) || address <= (uintptr_t)first ||
        address >= stack->high)
        return 0;
    struct walk walk = {first->return_address, (uintptr_t)(first + 1), first->up};
    while (walk.sp - sizeof(struct frame) < address)
        if (!unwind_step(&walk, cfi_at(walk.pc), stack)) return 0;
    return walk.sp - sizeof(struct frame);
}

static uintptr_t frame_from(uintptr_t address) { return frame_on(&thread_self.stack, address); }

/* Whether the function has been left: a return address also stays where a stack was switched or
 * left by longjmp, until it is overwritten, and a function that is called by the same instruction
 * later has the same one at the same place. Frames of callees lie below the variables of a function
 * that goes on. */
static int is_left_behind(local header) {
    uintptr_t next = frame_from((uintptr_t)header);
    return next && next != header->frame;
}

/* Whether the header is one of an activation on this stack, whose frame has its return address. */
static int is_plausible(local header, const struct stack_bounds *stack) {
    uintptr_t at = (uintptr_t)header, frame = header->frame;
    if (at < stack->low || frame < at || frame - at > FRAME_MOST) return 0;
    if (!holds_word(stack, frame + sizeof(uint64_t)) || !header->returns) return 0;
    if (*(const uint64_t *)(frame + sizeof(uint64_t)) != header->returns) return 0;
    uintptr_t variable = (uintptr_t)header->variable;
    return variable >= WH_NULL_PAGE_SIZE && variable < ADDRESS_END && plane_covers(variable) &&
           described(header->variable);
}

/* Whether the activation that wrote the header goes on: its frame is still the caller's callee. */
static int is_active(local header, const struct stack_bounds *stack) {
    return is_plausible(header, stack) && !is_left_behind(header) &&
           (!varies(header) || is_in_chain(header, stack));
}

static struct place place_of(local header) {
    return (struct place){(uintptr_t)(header + 1), described(header->variable), size_of(header),
                          thread_self.number};
}

/* Whether the address lies in the variable or its zones. */
static int contains(struct place place, uintptr_t address) {
    if (address < place.begin) return place.begin - address <= place.variable->before;
    uintptr_t last = wh_round_up(place.begin + place.size, WH_GRANULE);
    return address < last + place.variable->after;
}

static int active_around(uintptr_t address, struct place *place) {
    struct stack_bounds stack;
    if (!stack_around(address, &stack)) return 0;
    local header = header_before(address, stack.low);
    if (!header || !is_active(header, &stack)) return 0;
    *place = place_of(header);
    return contains(*place, address);
}

/* ---- variables on stacks that the program made ---- */

/* Of such a stack only the part from the running frame upward is known, so far at most. */
#define INNER_MOST (2ull << 20)

int locals_inner(void) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return here < thread_self.stack.low || here >= thread_self.stack.high;
}

/* The stack from here to `end`; 0 if not all of that is mapped. */
static int inner_stack(uintptr_t end, struct stack_bounds *stack) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (end < here || end - here > INNER_MOST) return 0;
    for (uintptr_t page = wh_round_down(here, OS_PAGE) + OS_PAGE; page < end; page += OS_PAGE)
        if (!os_readable(page)) return 0;
    *stack = (struct stack_bounds){here, end};
    return 1;
}

/* What the memory holds is not known, so that the walk must meet the very frame. */
static int inner_around(uintptr_t address, struct place *place) {
    struct stack_bounds stack = {(uintptr_t)__builtin_frame_address(0), 0};
    if (!locals_inner() || address - stack.low > INNER_MOST || !plane_covers(address)) return 0;
    local header = header_before(address, stack.low);
    if (!header || !inner_stack((uintptr_t)(header + 1), &stack)) return 0;
    if (!inner_stack(header->frame + sizeof(struct frame), &stack)) return 0;
    if (!is_plausible(header, &stack) || frame_on(&stack, header->frame) != header->frame) return 0;
    if (varies(header) && !is_in_chain(header, &stack)) return 0;
    *place = place_of(header);
    return contains(*place, address);
}

/* ---- which variable has returned ---- */

WH_EXPORT __thread struct whence_returned_ring __whence_returned
    __attribute__((tls_model("initial-exec")));

_Static_assert(offsetof(struct whence_returned_ring, rows) == WHENCE_RETURNED_HEAD,
               "generated code writes the rows");

/* The stack pointer of the code that called the runtime; 0 if it is not known. */
static uintptr_t stack_pointer(void) {
    const struct frame *frame = program_frame();
    return frame ? (uintptr_t)(frame + 1) : 0;
}

/* A stack without a known end is one so far below the stack pointer: a signal needs as much, and a
 * finding, too. */
#define NEAR_MOST (4ull << 10)

/* The calling code runs on a stack that the program made, with the stack pointer at `top`. */
static int is_near(uintptr_t address, uintptr_t top) {
    if (blocks_in_heap(top) || blocks_in_heap(address)) {
        struct whence_bounds block = heap_live_range(top);
        if (top - block.begin >= block.size || address - block.begin >= block.size) return 0;
    }
    return top - address <= NEAR_MOST;
}

/* Whether the caller's frames hang from the one with which the runtime began the thread. A stack
 * that the program made may lie in a variable of the thread's. */
static int is_threads_own(uintptr_t top) {
    const struct stack_bounds *own = &thread_self.stack;
    if (top < own->low || top > own->high) return 0;
    const struct frame *first = program_frame();
    struct walk walk = {first->return_address, (uintptr_t)(first + 1), first->up};
    while (unwind_step(&walk, cfi_at(walk.pc), own)) continue;
    return kind_in_runtime(walk.pc);
}

/* The bounds of the stack with the stack pointer at `top`; 0 if they are not known. */
static int running_stack(uintptr_t top, struct stack_bounds *stack) {
    if (contexts_stack_of(top, stack)) return 1;
    *stack = thread_self.stack;
    return is_threads_own(top);
}

int locals_in_frame(uintptr_t address) {
    struct stack_bounds stack;
    uintptr_t top = stack_pointer();
    return top && address >= top && running_stack(top, &stack) && address < stack.high;
}

/* Whether the address lies in a gap of a function that goes on. */
static int is_in_gap(uintptr_t address) {
    const struct whence_gap *gap = gaps_around(address);
    const struct stack_bounds *stack = &thread_self.stack;
    if (!gap || gap->variables < stack->low || address >= stack->high) return 0;
    if (*plane_state(gap->variables) != WH_STATE_STACK_BEGIN) return 0;
    local header = header_before(gap->variables, stack->low);
    if ((uintptr_t)header >= gap->begin || header->frame < gap->end) return 0;
    if (header->frame != gap->frame || header->variable != gap->variable) return 0;
    return is_plausible(header, stack) && frame_from((uintptr_t)header) == header->frame;
}

/* Whether a function may have closed the address on the stack that runs, and nothing has used the
 * memory since: code on another stack says nothing about this one. What lies far below may be a
 * mapping where the stack has no limit. */
static int is_left(uintptr_t address) {
    struct stack_bounds stack;
    if (*plane_state(address) != WH_STATE_STACK_RETURNED) return 0;
    uintptr_t top = stack_pointer();
    if (address >= top) return is_in_gap(address);
    if (top - address > FRAME_MOST) return 0;
    return !running_stack(top, &stack) || address >= stack.low;
}

/* Whether the frame of a variable that has returned, as its header and the frame pointers that
 * frames have saved tell, hung from a frame that goes on. */
static int hung_here(struct place place, uintptr_t top) {
    uintptr_t at = place.begin - sizeof(struct whence_local);
    struct stack_bounds stack;
    if (!os_readable(at) || described(((local)at)->variable) != place.variable) return 0;
    uintptr_t frame = ((local)at)->frame;
    while (frame > at && frame - at <= FRAME_MOST && frame + sizeof(struct frame) < top) {
        at = frame;
        if (at % sizeof(uint64_t) || !os_readable(at)) return 0;
        frame = (uintptr_t)((const struct frame *)at)->up;
    }
    if (frame <= at || frame - at > FRAME_MOST) return 0;
    if (frame + sizeof(struct frame) == top) return 1;
    return inner_stack(frame + sizeof(struct frame), &stack) && frame_on(&stack, frame) == frame;
}

/* Whether memory that is_left is of the stack that runs, where its bounds are not known. */
static int is_of_stack(uintptr_t address, struct place place) {
    struct stack_bounds stack;
    uintptr_t top = stack_pointer();
    return running_stack(top, &stack) || is_near(address, top) || hung_here(place, top);
}

/* The latest variable to whose room the memory belonged, if that is closed where it begins: what
 * has been used since says nothing of the rest. */
static int find_returned(const struct whence_returned_ring *ring, uintptr_t address,
                         struct place *place) {
    const struct whence_variable *known = NULL;
    uint64_t rows = ring->count < WHENCE_RETURNED_ROWS ? ring->count : WHENCE_RETURNED_ROWS;
    for (uint64_t back = 1; back <= rows; back++) {
        struct whence_returned row = ring->rows[(ring->count - back) % WHENCE_RETURNED_ROWS];
        if (row.begin - address + FRAME_MOST > 2 * FRAME_MOST) continue;
        const struct whence_variable *variable = described(row.variable);
        if (variable != known && !os_readable((uintptr_t)variable)) continue;
        known = variable;
        *place = (struct place){row.begin, variable, variable->size, thread_self.number};
        if (variable->size == WHENCE_SIZE_VARIES)
            place->size = ring->sizes[(ring->count - back) % WHENCE_RETURNED_ROWS];
        if (contains(*place, address)) return *plane_state(place->begin) == WH_STATE_STACK_RETURNED;
    }
    return 0;
}

static int left_here(uintptr_t address, struct place *place) {
    return is_left(address) && find_returned(&__whence_returned, address, place) &&
           is_left(place->begin) && is_of_stack(address, *place);
}

/* ---- in other threads ---- */

/* Below its stack pointer the ABI grants a function so much. */
#define RED_ZONE 128u

/* So many answers that a thread was busy end the questions. */
#define BUSY_MOST 64u

/* Whether the other thread has left the function: it waits in the kernel, and its stack pointer
 * lies above. Code of another thread that may use the memory has it until it tells that thread. */
static int is_left_by(uint32_t tid, uintptr_t address, const struct stack_bounds *stack) {
    static uint32_t busy;
    if (__atomic_load_n(&busy, __ATOMIC_RELAXED) >= BUSY_MOST) return 0;
    uintptr_t top = blocked_await(tid);
    if (!top) __atomic_fetch_add(&busy, 1, __ATOMIC_RELAXED);
    return top > stack->low && top < stack->high && address < top - RED_ZONE;
}

/* The last one that was found, and the code for which: all questions about an access have the same
 * answer, whatever the other thread does meanwhile. */
static __thread struct {
    struct place place;
    uintptr_t top;
    uint64_t returns;
} found_elsewhere;

static int left_elsewhere(uintptr_t address, struct place *place) {
    struct stack_bounds stack;
    struct whence_returned_ring ring;
    uint32_t tid;
    if (*plane_state(address) != WH_STATE_STACK_RETURNED) return 0;
    const struct thread *other = kind_thread_of(address, &stack, &tid);
    const struct frame *frame = program_frame();
    if (!other || other == &thread_self || !frame) return 0;
    if (found_elsewhere.top == (uintptr_t)frame &&
        found_elsewhere.returns == frame->return_address && found_elsewhere.place.variable &&
        contains(found_elsewhere.place, address)) {
        *place = found_elsewhere.place;
        return 1;
    }
    uintptr_t theirs = (uintptr_t)other + ((uintptr_t)&__whence_returned - (uintptr_t)&thread_self);
    if (!is_left_by(tid, address, &stack) || !os_copy(&ring, theirs, sizeof ring)) return 0;
    if (!find_returned(&ring, address, place)) return 0;
    os_copy(&place->thread, (uintptr_t)&other->number, sizeof place->thread);
    found_elsewhere.place = *place;
    found_elsewhere.top = (uintptr_t)frame;
    found_elsewhere.returns = frame->return_address;
    return 1;
}

static int left_around(uintptr_t address, struct place *place) {
    return left_here(address, place) || left_elsewhere(address, place);
}

/* ---- the provider ---- */

/* Code of the process copies frames away and back, so states and headers do not belong to what lies
 * there. */
static int frames_move;

WH_EXPORT void __whence_frames_move(void) {
    static int noted;
    frames_move = 1;
    rt_note(&noted, "the process moves frames of its stack: accesses to local variables are not "
                    "judged by the rules about them");
}

static int place_around(uintptr_t address, struct place *place) {
    if (frames_move) return 0;
    return left_around(address, place) || active_around(address, place);
}

static int holds(uintptr_t address) {
    struct place place;
    return place_around(address, &place);
}

static uint64_t around(uintptr_t address) {
    struct place place;
    return place_around(address, &place) ? (place.begin - STACKS_BEGIN) / WH_GRANULE : 0;
}

static void describe_at(uintptr_t begin, struct place place, struct block_facts *facts) {
    uint8_t state = *plane_state(begin);
    int ended = state == WH_STATE_STACK_RETURNED || state == WH_STATE_STACK_FREED;
    facts->row.begin = begin;
    facts->row.size = place.size;
    facts->row.id = begin;
    facts->row.state = ended ? WH_BLOCK_FREED : WH_BLOCK_LIVE;
    facts->row.thread = place.thread;
    facts->text = (const char *)(place.variable + 1);
}

static void describe_begin(uintptr_t begin, struct block_facts *facts) {
    struct place place;
    int left = left_around(begin, &place);
    if (!left && *plane_state(begin - WH_GRANULE) != WH_STATE_STACK_BEGIN) return;
    if (!left) place = place_of((local)begin - 1);
    describe_at(begin, place, facts);
}

static void describe(uint64_t number, struct block_facts *facts) {
    describe_begin(STACKS_BEGIN + number * WH_GRANULE, facts);
}

static const struct block_provider provider = {
    .begin = STACKS_BEGIN,
    .end = ADDRESS_END,
    .kind = WH_KIND_STACK,
    .holds = holds,
    .around = around,
    .nearest = around,
    .read = describe,
};

/* The bounds of a heap block that is a stack are not those of its variables: loops must not rely on
 * them. */
static int place_inner(uintptr_t address, struct place *place) {
    if (frames_move || !locals_inner() || !plane_covers(address)) return 0;
    if (!left_here(address, place) && !inner_around(address, place)) return 0;
    if (blocks_in_heap(address)) __whence_holes = 1;
    return 1;
}

static int holds_inner(uintptr_t address) {
    struct place place;
    return place_inner(address, &place);
}

static uint64_t around_inner(uintptr_t address) {
    struct place place;
    return place_inner(address, &place) ? place.begin / WH_GRANULE : 0;
}

static void describe_inner(uint64_t number, struct block_facts *facts) {
    describe_begin(number * WH_GRANULE, facts);
}

static const struct block_provider inner_provider = {
    .begin = WH_NULL_PAGE_SIZE,
    .end = ADDRESS_END,
    .kind = WH_KIND_STACK,
    .holds = holds_inner,
    .rooms = ROOMS_INNER,
    .around = around_inner,
    .nearest = around_inner,
    .read = describe_inner,
};

WH_EXPORT void __whence_locals(void) {
    static int begun;
    if (__atomic_exchange_n(&begun, 1, __ATOMIC_RELAXED)) return;
    blocks_provide(&provider);
    blocks_provide(&inner_provider);
}

/* ---- litter ---- */

static int is_partial(uintptr_t granule) {
    uint8_t state = *plane_state(granule);
    return state && state < WH_GRANULE;
}

/* Whether a frame has closed the granule: in a zone, at the end of a variable, or with a scope. */
static int closed_by_frame(uintptr_t granule) {
    uint8_t state = *plane_state(granule);
    if (is_partial(granule)) return *plane_state(granule + WH_GRANULE) == WH_STATE_STACK_RED_ZONE;
    return state == WH_STATE_STACK_BEGIN || state == WH_STATE_STACK_RED_ZONE ||
           state == WH_STATE_STACK_FREED || state == WH_STATE_STACK_RETURNED;
}

/* Whether the address lies in a frame of the calling thread, on its own stack. */
static int in_own_frames(uintptr_t address) {
    const struct stack_bounds *stack = &thread_self.stack;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return here >= stack->low && address >= here && address < stack->high;
}

/* Opens what functions that have returned left from the granule on, in one frame or several. */
static void open_returned(uintptr_t granule) {
    uintptr_t end = granule + WH_GRANULE, most = granule + LITTER_MOST;
    if (!is_left(granule))
        while (end < most && *plane_state(end) == WH_STATE_STACK_RETURNED) end += WH_GRANULE;
    plane_set(granule, end - granule, WH_STATE_ADDRESSABLE);
}

/* Code that switches stacks copies frames as a whole. Such a range begins before a variable's room
 * and ends behind it, or begins in the frame of another function. */
int locals_spanned(uintptr_t begin, uintptr_t end, uintptr_t bad) {
    struct place place;
    if (*plane_state(bad) != WH_STATE_STACK_BEGIN) return 0;
    if (!active_around(bad, &place) && !inner_around(bad, &place)) return 0;
    uintptr_t room = place.begin - place.variable->before;
    if (begin > room) return 0;
    if (wh_round_up(place.begin + place.size, WH_GRANULE) + place.variable->after <= end) return 1;
    struct stack_bounds stack = thread_self.stack;
    if (locals_inner() && !inner_stack(room, &stack)) return 0;
    uintptr_t frame = frame_on(&stack, begin);
    return frame && frame < room;
}

/* Whether a closed granule belongs to a variable. Code that runs on a stack inside of a variable,
 * as coroutines do, leaves litter there: of the variable itself, only the end of its scope closes
 * bytes. */
static int belongs_to_place(uintptr_t address, uintptr_t granule) {
    struct place place;
    if (frames_move) return 0;
    if (left_around(address, &place)) return 1;
    if (!active_around(address, &place) && !inner_around(address, &place)) return 0;
    int inside = granule >= place.begin && granule + WH_GRANULE <= place.begin + place.size;
    return !inside || *plane_state(granule) == WH_STATE_STACK_FREED || !closed_by_frame(granule);
}

/* The end of a variable is recognised by the zone behind it, and is opened with that. */
int locals_open_litter(uintptr_t address) {
    uintptr_t granule = wh_round_down(address, WH_GRANULE), last = granule - WH_GRANULE;
    if (!*plane_state(granule) || (!in_own_frames(address) && !closed_by_frame(granule))) return 0;
    if (belongs_to_place(address, granule)) return 0;
    if (*plane_state(granule) == WH_STATE_STACK_RETURNED) {
        open_returned(granule);
        return 1;
    }
    if (is_partial(last) && closed_by_frame(last)) *plane_state(last) = WH_STATE_ADDRESSABLE;
    *plane_state(granule) = WH_STATE_ADDRESSABLE;
    return 1;
}
