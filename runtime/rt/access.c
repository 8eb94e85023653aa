#include "access.h"
#include "../planes/planes.h"

/* ---- addressability ---- */

static uintptr_t heap_first_bad(uintptr_t address, uintptr_t end) {
    struct block_place place = blocks_holding(address);
    if (!place.index) return address;
    const struct block_record *record = block_record(place.shift, place.index);
    if (record->state != WH_BLOCK_LIVE) return address;
    uintptr_t limit = block_begin(record, place.shift, place.index) +
                      block_size(record, place.shift, place.index);
    return plane_first_bad(address, (end < limit ? end : limit) - address);
}

uintptr_t access_first_bad(uintptr_t address, uint64_t size) {
    if (!size) return address;
    if (!plane_covers(address)) return address;
    uintptr_t end = size > ADDRESS_END - address ? ADDRESS_END : address + size;
    if (heap_contains(address)) return heap_first_bad(address, end);
    if (address < PLANE_BEGIN && end > PLANE_BEGIN) end = PLANE_BEGIN;
    if (address < WH_HEAP_BASE && end > WH_HEAP_BASE) end = WH_HEAP_BASE;
    uint64_t scanned = end - address < ACCESS_SCAN_MOST ? end - address : ACCESS_SCAN_MOST;
    uintptr_t bad = plane_first_bad(address, scanned);
    return bad == address + scanned ? end : bad;
}

int access_clean(uintptr_t address, uint64_t size) {
    if (size > ACCESS_SCAN_MOST || !plane_covers(address) || size > ADDRESS_END - address)
        return size && access_first_bad(address, size) == address + size;
    if (!access_exact_state(address)) return access_first_bad(address, size) == address + size;
    return plane_first_bad(address, size) == address + size;
}

/* ---- provenance ---- */

static int is_live(struct block_place place) {
    return place.index && block_record(place.shift, place.index)->state == WH_BLOCK_LIVE;
}

static int same_place(struct block_place a, struct block_place b) {
    return a.index == b.index && a.shift == b.shift;
}

/* The block the access is judged against; index 0: none.
 *
 * An addressable access is judged only where the root lies inside another live
 * block. A root inside a freed block with an addressable address is what
 * `p += new - old` after a realloc leaves behind; a root at the end of a block
 * belongs to nobody. */
static struct block_place judge(uintptr_t address, uintptr_t root, int clean) {
    struct block_place of_root = blocks_holding(root);
    if (clean) {
        if (!is_live(of_root) || same_place(of_root, blocks_holding(address))) of_root.index = 0;
        return of_root;
    }
    return of_root.index ? of_root : blocks_nearest(address);
}

/* ---- the check ---- */

static void describe(struct context *context, uintptr_t address, uint64_t size, uintptr_t root,
                     int write) {
    context->event.point = write ? WH_POINT_DEREF_W : WH_POINT_DEREF_R;
    context->event.r = address;
    context->event.root = root;
    context->event.width = size > UINT64_MAX - address ? UINT64_MAX - address : size;
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
    if (!event_watched(WH_POINT_COPY)) return;
    struct context context = {0};
    context.event.point = WH_POINT_COPY;
    context.event.r = context.event.root = to;
    context.event.width = written;
    context.event.other = from;
    context.event.value = read;
    blocks_read(blocks_nearest(to), &context.event.block);
    context.frame = frame;
    context.library = library;
    event_evaluate(&context);
}

static WH_COLD void judge_access(uintptr_t address, uint64_t size, uintptr_t root, int write,
                                 const char *library, const struct frame *frame, int clean) {
    struct block_place place = judge(address, root, clean);
    if (clean && !place.index && root >= WH_NULL_PAGE_SIZE) {
        if (!event_watched_every(write ? WH_POINT_DEREF_W : WH_POINT_DEREF_R)) return;
        place = blocks_holding(address);
    }
    if (library && !address && event_watched(WH_POINT_ARGUMENT) && judge_argument(library, frame))
        return;
    struct context context = {0};
    describe(&context, address, size, root, write);
    blocks_read(place, &context.event.block);
    context.frame = frame;
    context.library = library;
    if (library) context.flags |= WH_FLAG_LIBRARY;
    context.bad = clean ? address : access_first_bad(address, size);
    event_evaluate(&context);
}

static int same_slot(uintptr_t root, uintptr_t address) {
    return (root ^ address) >> slot_shift(root) == 0;
}

/* A root outside the heap is no block's, one in the same slot is this block's; from a null root
 * an addressable byte may still be unmapped. */
static int is_suspect_root(uintptr_t root, uintptr_t address) {
    return heap_contains(root) ? !same_slot(root, address) : root < WH_NULL_PAGE_SIZE;
}

void access_check(uintptr_t address, uint64_t size, uintptr_t root, int write, const char *library,
                  const struct frame *frame) {
    if (!size) return;
    int clean = access_quick(address, size) || access_clean(address, size);
    if (WH_LIKELY(clean) && !is_suspect_root(root, address) &&
        !event_watched_every(write ? WH_POINT_DEREF_W : WH_POINT_DEREF_R))
        return;
    judge_access(address, size, root, write, library, frame, clean);
}

uint64_t access_trapped(struct context *context, uintptr_t address, int write) {
    describe(context, address, 1, address, write);
    blocks_read(blocks_nearest(address), &context->event.block);
    context->bad = address;
    return event_evaluate(context);
}

/* ---- entry points ---- */

#define DESC_SIZE 0xffffffu

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
    uint64_t size = desc & DESC_SIZE;
    if (desc & WHENCE_DESC_COPY) {
        access_overlap(address, size, root, size, NULL, frame);
        return;
    }
    access_check(address, size, root, (desc & WHENCE_DESC_WRITE) != 0, NULL, frame);
}

/* preserve_most: every general register but r11 is kept, vector registers are
 * the caller's. The frame it builds is where the stack of a finding starts. */
__asm__(".text\n"
        ".globl __whence_access\n"
        ".type __whence_access, @function\n"
        "__whence_access:\n"
        ".cfi_startproc\n"
        "    push %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset %rbp, -16\n"
        "    mov %rsp, %rbp\n"
        "    .cfi_def_cfa_register %rbp\n"
        "    push %rax\n"
        "    push %rcx\n"
        "    push %rdx\n"
        "    push %rsi\n"
        "    push %rdi\n"
        "    push %r8\n"
        "    push %r9\n"
        "    push %r10\n"
        "    mov %rbp, %rcx\n"
        "    cld\n"
        "    and $-16, %rsp\n"
        "    call whence_access_checked\n"
        "    lea -64(%rbp), %rsp\n"
        "    pop %r10\n"
        "    pop %r9\n"
        "    pop %r8\n"
        "    pop %rdi\n"
        "    pop %rsi\n"
        "    pop %rdx\n"
        "    pop %rcx\n"
        "    pop %rax\n"
        "    pop %rbp\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        ".cfi_endproc\n"
        ".size __whence_access, .-__whence_access\n");
