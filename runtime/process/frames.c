#include "frames.h"
#include "kind.h"
#include "thread.h"
#include "../blocks/block.h"
#include "../os/os.h"
#include "../planes/planes.h"

__thread struct whence_frames __whence_frames
    __attribute__((visibility("default"), tls_model("initial-exec")));

_Static_assert(offsetof(struct whence_frames, rows) == WHENCE_FRAMES_HEAD,
               "generated code reads the rows");

typedef struct whence_local *header;

/* A row's next frame where it is not known: its header says that it is taken. */
static const struct whence_local taken = {.reserved = 1};
#define UNKNOWN ((uintptr_t)&taken)

/* ---- the memory of a thread ---- */

/* Frames of a class where a stack is large. A smaller one has half, a quarter, … of them. All take
 * 64 KiB, since programs that measure how deep the stack is may allow 100 KiB below their main
 * function. */
static const uint16_t counts[WHENCE_FRAME_CLASSES] = {128, 64, 32, 16, 8, 4, 4};

/* With fewer of them no frame rests for long. */
#define COUNT_LEAST 4u
#define HALVED_MOST 6u

#define ALIGN 64u

/* The share of a stack that frames apart may have. */
#define SHARE 16u

static uint64_t frame_size(unsigned class) { return 1ull << (WHENCE_FRAME_LEAST_SHIFT + class); }

static uint64_t count_of(unsigned class, unsigned halved) {
    uint64_t count = counts[class] >> halved;
    return count < COUNT_LEAST ? 0 : count;
}

/* A header behind the last frame says that it is taken. */
static uint64_t ring_size(unsigned class, unsigned halved) {
    uint64_t count = count_of(class, halved);
    return count ? count * frame_size(class) + ALIGN : 0;
}

static uint64_t room(unsigned halved) {
    uint64_t size = ALIGN;
    for (unsigned class = 0; class < WHENCE_FRAME_CLASSES; class++)
        size += ring_size(class, halved);
    return size;
}

uint64_t frames_room(uint64_t stack) {
    for (unsigned halved = 0; halved <= HALVED_MOST; halved++)
        if (room(halved) <= stack / SHARE) return room(halved);
    return 0;
}

/* ---- the threads that have them ---- */

/* More threads than this at a time: the others keep all variables on their stacks. */
#define OWNERS_MOST 4096u

/* end is 0 where nothing stands, and written last. */
static struct owner {
    uintptr_t begin, end;
    const struct whence_frames *frames;
    uint64_t thread;
} owners[OWNERS_MOST];
static unsigned owners_most; /* no row from here on was ever used */

static int add_owner(uintptr_t begin, uintptr_t end) {
    for (unsigned i = 0; i < OWNERS_MOST; i++) {
        uintptr_t empty = 0;
        if (!__atomic_compare_exchange_n(&owners[i].end, &empty, 1, 0, __ATOMIC_ACQUIRE,
                                         __ATOMIC_RELAXED))
            continue;
        owners[i].begin = begin;
        owners[i].frames = &__whence_frames;
        owners[i].thread = thread_self.number;
        unsigned most = __atomic_load_n(&owners_most, __ATOMIC_RELAXED);
        while (most <= i && !__atomic_compare_exchange_n(&owners_most, &most, i + 1, 0,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            continue;
        __atomic_store_n(&owners[i].end, end, __ATOMIC_RELEASE);
        return 1;
    }
    return 0;
}

static const struct owner *owner_of(uintptr_t address) {
    unsigned most = __atomic_load_n(&owners_most, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < most; i++) {
        uintptr_t end = __atomic_load_n(&owners[i].end, __ATOMIC_ACQUIRE);
        if (address < end && address >= owners[i].begin) return &owners[i];
    }
    return NULL;
}

void frames_end(void) {
    struct whence_frames *frames = &__whence_frames;
    frames->span = 0;
    unsigned most = __atomic_load_n(&owners_most, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < most; i++)
        if (__atomic_load_n(&owners[i].end, __ATOMIC_ACQUIRE) > 1 && owners[i].frames == frames)
            __atomic_store_n(&owners[i].end, 0, __ATOMIC_RELEASE);
}

void frames_begin(uintptr_t begin, uint64_t size) {
    struct whence_frames *frames = &__whence_frames;
    frames_end();
    unsigned halved = 0;
    while (halved <= HALVED_MOST && room(halved) > size) halved++;
    if (halved > HALVED_MOST || blocks_in_heap(begin)) return; /* a block is no such stack */
    uintptr_t at = wh_round_up(begin, ALIGN);
    for (unsigned class = 0; class < WHENCE_FRAME_CLASSES; class++) {
        uint64_t ring = ring_size(class, halved);
        frames->rows[class] = (struct whence_frame_row){.next = UNKNOWN};
        if (ring) {
            frames->rows[class].begin = at;
            frames->rows[class].end = at + ring - ALIGN;
        }
        at += ring;
    }
    if (!add_owner(begin, begin + size)) return;
    frames->low = thread_self.stack.low;
    frames->span = begin - frames->low;
}

/* ---- the main function ---- */

WH_EXPORT uint64_t __whence_frames_room(void) { return frames_room(os_stack_limit()); }

WH_EXPORT void __whence_frames_begin(uint64_t begin, uint64_t size) { frames_begin(begin, size); }

WH_EXPORT void __whence_frames_end(void) { frames_end(); }

/* ---- taking a frame ---- */

/* The address of the next frame that is free; 0 if there is none. */
static uintptr_t find(struct whence_frame_row *row, uint64_t size) {
    uintptr_t at = row->next;
    if (at == UNKNOWN) {
        ((header)(uintptr_t)row->end)->reserved = 1;
        return row->begin;
    }
    if (at == row->end) {
        row->used = row->end;
        at = row->begin;
    }
    if (!row->used) return at; /* something else stood there before */
    for (uint64_t left = (row->end - row->begin) / size; left; left--) {
        if (!((header)at)->reserved) return at;
        at += size;
        if (at == row->end) at = row->begin;
    }
    return 0;
}

/* Longer walks are not worth it. */
#define WALK_MOST 65536u

/* Whether the program's function with this frame runs on the stack with which its thread began: all
 * that lies below is of functions that have been left then. */
static int is_on_own(const struct frame *frame) {
    struct walk walk = {frame->return_address, (uintptr_t)(frame + 1), frame->up};
    unsigned left = WALK_MOST;
    while (left && unwind_step(&walk, cfi_at(walk.pc), &thread_self.stack)) left--;
    return kind_in_runtime(walk.pc);
}

/* Frames of functions that were left by longjmp or an exception. The last one of those that run
 * has not written a header yet. */
static int give_back_left(const struct whence_frame_row *row, uint64_t size,
                          const struct frame *frame) {
    int any = 0;
    if (!is_on_own(frame)) return 0;
    for (uintptr_t at = row->begin; at < row->end; at += size) {
        header first = (header)at;
        if (!first->reserved || first->frame > (uintptr_t)frame->up) continue;
        plane_set(at, size, WH_STATE_STACK_RETURNED);
        first->reserved = 0;
        any = 1;
    }
    return any;
}

/* Calls that keep their variables on the stack before a frame is sought again: as long as a
 * recursion goes on, it would be in vain. */
#define PASSED_LEAST 64u
#define PASSED_MOST 4096u

WH_EXPORT uint64_t __whence_frame_slow(uint64_t own, uint64_t offset) {
    struct whence_frames *frames = &__whence_frames;
    unsigned class = (unsigned)((offset - WHENCE_FRAMES_HEAD) / sizeof(struct whence_frame_row));
    struct whence_frame_row *row = &frames->rows[class];
    uint64_t size = frame_size(class);
    if (own - frames->low >= frames->span || !row->begin) return own;
    if (row->passed) {
        row->passed--;
        return own;
    }
    uintptr_t found = find(row, size);
    if (!found && give_back_left(row, size, FRAME_HERE)) found = find(row, size);
    if (!found) {
        uint64_t more = row->failed ? 2 * row->failed : PASSED_LEAST;
        row->failed = row->passed = more < PASSED_MOST ? more : PASSED_MOST;
        return own;
    }
    row->failed = 0;
    row->next = found + size;
    ((header)found)->reserved = 1;
    return found;
}

/* ---- finding frames ---- */

static uintptr_t used_end(const struct whence_frame_row *row) {
    if (row->used) return row->end;
    return row->next == UNKNOWN ? row->begin : row->next;
}

/* A thread that is ended by pthread_exit runs destructors where it had frames apart. */
static int is_over(const struct owner *owner) {
    return owner->frames == &__whence_frames &&
           (uintptr_t)__builtin_frame_address(0) > owner->begin &&
           (uintptr_t)__builtin_frame_address(0) < thread_self.stack.high;
}

int frames_at(uintptr_t address, struct frame_apart *frame) {
    const struct owner *owner = owner_of(address);
    if (!owner || is_over(owner)) return 0;
    for (unsigned class = 0; class < WHENCE_FRAME_CLASSES; class++) {
        const struct whence_frame_row *row = &owner->frames->rows[class];
        if (address < row->begin || address >= used_end(row)) continue;
        uint64_t size = frame_size(class);
        uintptr_t begin = row->begin + wh_round_down(address - row->begin, size);
        *frame = (struct frame_apart){begin, size, owner->thread};
        return 1;
    }
    return 0;
}

uintptr_t frames_around(uintptr_t address, uintptr_t *begin) {
    const struct owner *owner = owner_of(address);
    if (!owner || is_over(owner)) return 0;
    *begin = owner->begin;
    return owner->end;
}

/* ---- visiting ---- */

static const struct owner *first_owner(uintptr_t begin, uintptr_t end) {
    const struct owner *first = NULL;
    unsigned most = __atomic_load_n(&owners_most, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < most; i++)
        if (owners[i].end > begin && owners[i].begin < end &&
            (!first || owners[i].begin < first->begin))
            first = &owners[i];
    return first;
}

static void visit_taken(const struct whence_frames *frames, uintptr_t sp, int system, int file,
                        frames_visitor *visit) {
    for (unsigned class = 0; class < WHENCE_FRAME_CLASSES; class++) {
        const struct whence_frame_row *row = &frames->rows[class];
        uintptr_t end = used_end(row);
        for (uintptr_t at = row->begin; at < end; at += frame_size(class))
            if (((header)at)->reserved && ((header)at)->frame >= sp)
                visit(at, at + frame_size(class), system, file);
    }
}

void frames_visit(uintptr_t begin, uintptr_t end, int system, int file, frames_visitor *visit) {
    const struct owner *owner;
    uintptr_t at = begin;
    while (at < end && (owner = first_owner(at, end))) {
        if (owner->begin < at) break; /* code runs there */
        if (owner->begin > at) visit(at, owner->begin, system, file);
        visit_taken(owner->frames, begin, system, file, visit);
        at = owner->end;
    }
    if (at < end) visit(at, end, system, file);
}
