#include "search.h"
#include "excuse.h"
#include "kernel.h"
#include "roots.h"
#include "stop.h"
#include "untouched.h"
#include "../os/os.h"
#include "../process/confine.h"
#include "../process/images.h"
#include "../process/kind.h"
#include "../port/port.h"
#include "../settings/options.h"
#include "../symbolic/rewind.h"

static WH_WRITTEN const struct search *current;
static WH_WRITTEN int state; /* 0: not made yet, 1: made, -1: not possible */

/* ---- the calling thread ---- */

#define SAVED_REGISTERS 6u

/* What a caller may keep in registers that functions preserve. */
static __attribute__((noinline)) void follow_own_registers(void) {
    uintptr_t saved[SAVED_REGISTERS];
    __asm__ volatile("mov %%rbx, 0(%0)\n"
                     "mov %%rbp, 8(%0)\n"
                     "mov %%r12, 16(%0)\n"
                     "mov %%r13, 24(%0)\n"
                     "mov %%r14, 32(%0)\n"
                     "mov %%r15, 40(%0)\n"
                     :
                     : "r"(saved)
                     : "memory");
    mark_range((uintptr_t)saved, (uintptr_t)(saved + SAVED_REGISTERS), MARK_REACHED);
}

static WH_WRITTEN uintptr_t own_sp;

/* ---- whose a block is ---- */

/* Where the program itself carries no IR, as under an interpreter, only blocks are
 * the user's that code with IR allocated, directly or through the C library. */
static int is_foreign_stack(uint32_t stack) {
    uint64_t pcs[WH_ALLOC_FRAMES];
    unsigned count = depot_get(stack, pcs, WH_ALLOC_FRAMES), at = 0;
    if (images_main_instrumented() || options.foreign_leaks) return 0;
    while (at < count && images_kind(pcs[at]) == IMAGE_SYSTEM) at++;
    return at == count || images_kind(pcs[at]) != IMAGE_INSTRUMENTED;
}

/* Whether no code but the system's libraries' took part in the allocation: their initialisers and
 * threads. */
static int is_system_stack(uint32_t stack) {
    uint64_t pcs[WH_ALLOC_FRAMES];
    unsigned count = depot_get(stack, pcs, WH_ALLOC_FRAMES), at = 0;
    while (at < count && images_kind(pcs[at]) == IMAGE_SYSTEM) at++;
    return count && at == count && count < WH_ALLOC_FRAMES;
}

/* Blocks that follow each other are often of one stack. */
struct of_stack {
    uint32_t known; /* stack + 1; 0: none */
    int answer;
};

static int answer_for(struct block block, struct of_stack *last, int (*ask)(uint32_t stack)) {
    uint32_t stack = block_alloc_stack(block);
    if (last->known != stack + 1) *last = (struct of_stack){stack + 1, ask(stack)};
    return last->answer;
}

int search_is_foreign(struct block block) {
    static struct of_stack last;
    return answer_for(block, &last, is_foreign_stack);
}

/* ---- pointers into the middle of a block that hold it ---- */

/* Whether the program may have protected pages of a block, and has this one. */
static int is_closed(uintptr_t address, uint64_t size) {
    return size >= OS_PAGE && !os_readable(address);
}

/* A base class behind another one: both begin with a pointer to constant tables. */
static int is_base_class(uintptr_t pointer, struct block block) {
    uintptr_t begin = block_begin(block);
    uint64_t size = block_size(block);
    if (pointer % sizeof(uint64_t) || pointer - begin + sizeof(uint64_t) > size) return 0;
    if (is_closed(pointer, size) || is_closed(begin, size)) return 0;
    uint64_t table = *(const wh_word *)pointer;
    return table % sizeof(uint64_t) == 0 && roots_in_constants(table) &&
           roots_in_constants(*(const wh_word *)begin);
}

/* ---- blocks that are being allocated ---- */

/* A thread that stands inside the runtime may have a block whose address is in
 * no register yet: its youngest. */
#define NUMBERS (UINT16_MAX + 1u)

static void note_inside(uint64_t *inside, uint64_t pc, const struct thread *thread) {
    if (thread && kind_in_runtime(pc)) inside[thread->number] = 1;
}

static void hold_youngest(uint64_t *youngest, uint64_t *begins) {
    uint64_t cursor = 0;
    struct block block;
    while (block_exists(block = block_next(&cursor, WH_BLOCK_LIVE))) {
        uint64_t number = block_thread(block), id = block_id(block);
        if (!youngest[number] || id < youngest[number]) continue;
        youngest[number] = id;
        begins[number] = block_begin(block);
    }
    for (unsigned i = 0; i < NUMBERS; i++)
        if (begins[i]) mark_block(begins[i], MARK_REACHED);
}

static void hold_unfinished(const struct parking *parking) {
    size_t room = 2 * NUMBERS * sizeof(uint64_t);
    uint64_t *table = NULL;
    int any = kind_in_runtime(current->pc);
    for (size_t i = 0; i < parking->count && !any; i++)
        any = kind_in_runtime(parking->threads[i].pc);
    if (!any || !(table = (uint64_t *)os_map(room))) return;
    note_inside(table, current->pc, &thread_self);
    for (size_t i = 0; i < parking->count; i++)
        note_inside(table, parking->threads[i].pc, parking->threads[i].thread);
    hold_youngest(table, table + NUMBERS);
    os_unmap((uintptr_t)table, room);
}

/* ---- following ---- */

static void visit_root(uintptr_t begin, uintptr_t end, int system, int file) {
    enum mark mark = system ? MARK_SYSTEM : MARK_REACHED;
    if (file)
        mark_file(begin, end, mark);
    else
        mark_range(begin, end, mark);
}

static void visit_kept(uintptr_t pointer) { mark_block(pointer, MARK_REACHED); }

/* Mapped memory, and blocks that may not have a pointer to them. */
static void visit_region(uintptr_t begin, uintptr_t end) {
    mark_block(begin, MARK_REACHED);
    roots_readable(begin, end, visit_root);
}

static void excuse(struct block block) {
    uint8_t *marks = mark_of(block);
    if (!marks) return;
    *marks |= MARK_EXCUSED;
    mark_block(block_begin(block), MARK_SYSTEM);
}

static void follow_thread(const struct parked *parked) {
    const struct os_registers *registers = &parked->registers;
    mark_range((uintptr_t)registers, (uintptr_t)(registers + 1), MARK_REACHED);
    mark_block(parked->sp, MARK_REACHED); /* the stack may lie in a block */
}

static void follow_everything(const struct parking *parking, struct stack_top *stacks) {
    size_t count = 0;
    mark_arenas();
    stacks[count++] = (struct stack_top){own_sp, &thread_self};
    if (!current->stack_low) follow_own_registers();
    mark_block(own_sp, MARK_REACHED);
    for (size_t i = 0; i < parking->count; i++) {
        const struct parked *parked = &parking->threads[i];
        if (!__atomic_load_n(&parked->stands, __ATOMIC_ACQUIRE)) continue;
        stacks[count++] = (struct stack_top){parked->sp, parked->thread};
        follow_thread(parked);
    }
    hold_unfinished(parking);
    excuse_roots(visit_region);
    kernel_pointers(visit_kept);
    roots_each(stacks, count, visit_root);
    excuse_blocks(excuse);
    mark_weak();
}

/* ---- what was found ---- */

static struct wh_leaks totals;

uint32_t search_kind(uint8_t marks) {
    if (marks & MARK_POSSIBLE) return WH_LEAK_POSSIBLE;
    if (marks & MARK_POINTED) return WH_LEAK_REACHABLE;
    return marks & MARK_INDIRECT ? WH_LEAK_INDIRECT : WH_LEAK_DEFINITE;
}

/* An old word on the stack may lead to a block that a library's initialiser allocated before. */
int search_is_kept(uint8_t marks, struct block block) {
    static struct of_stack last;
    if (marks & (MARK_SYSTEM | MARK_EXCUSED)) return 1;
    return marks & MARK_REACHED && answer_for(block, &last, is_system_stack);
}

/* Blocks up to this one were there when a parent forked this process. */
static WH_WRITTEN uint64_t last_inherited;

void search_forked(void) { last_inherited = blocks_tick(); }

int search_is_inherited(uint64_t id) { return id <= last_inherited; }

static void add_to_total(uint64_t *blocks, struct block block) {
    blocks[0]++;
    blocks[1] += block_size(block); /* the field behind it */
}

static void count(uint8_t marks, struct block block) {
    uint64_t *blocks[] = {
        [WH_LEAK_NONE] = &totals.excused_blocks,
        [WH_LEAK_DEFINITE] = &totals.definite_blocks,
        [WH_LEAK_INDIRECT] = &totals.indirect_blocks,
        [WH_LEAK_POSSIBLE] = &totals.possible_blocks,
        [WH_LEAK_REACHABLE] = &totals.reachable_blocks,
    };
    uint64_t *inherited[] = {
        [WH_LEAK_NONE] = &totals.inherited_excused_blocks,
        [WH_LEAK_DEFINITE] = &totals.inherited_definite_blocks,
        [WH_LEAK_INDIRECT] = &totals.inherited_indirect_blocks,
        [WH_LEAK_POSSIBLE] = &totals.inherited_possible_blocks,
        [WH_LEAK_REACHABLE] = &totals.inherited_reachable_blocks,
    };
    uint32_t kind = marks & MARK_EXCUSED ? WH_LEAK_NONE : search_kind(marks);
    if (block_kind(block) != WH_KIND_HEAP || search_is_foreign(block)) return;
    if (kind != WH_LEAK_NONE && search_is_kept(marks, block)) return;
    add_to_total(blocks[kind], block);
    if (search_is_inherited(block_id(block))) add_to_total(inherited[kind], block);
}

static void count_all(void) {
    uint64_t cursor = 0;
    struct block block;
    totals = (struct wh_leaks){0};
    while (block_exists(block = block_next(&cursor, WH_BLOCK_LIVE))) {
        uint8_t *marks = mark_of(block);
        if (!marks) continue; /* of a thread that did not stop */
        count(*marks, block);
        *marks |= MARK_LIVE;
    }
}

/* ---- the search ---- */

/* A search of one path among many gives back all that it takes, before the path ends: none of its
 * calls needs to be caught. */
static int pause_catching(void) { return PORT_PLANES && roots_are_known() ? rewind_pause() : 0; }

static void resume_catching(int paused) {
    if (PORT_PLANES) rewind_resume(paused);
}

/* All of it while the other threads stand still: marks and totals know every
 * block that can hold a pointer. 0 if it is not known what the program holds. */
static int read_memory(void) {
    static int missing;
    struct parking parking;
    port_search_begins();
    if (!excuse_has_roots()) roots_find_known(own_sp);
    int paused = pause_catching();
    parking_begin(&parking);
    port_search_stands(!parking.missing);
    if (parking.missing)
        rt_note(&missing, "a thread could not be stopped for the leak search: its whole stack "
                          "counts as in use, and a leaked block may be missed");
    uint64_t room = wh_round_up((parking.count + 1) * sizeof(struct stack_top), OS_PAGE);
    struct stack_top one;
    struct stack_top *stacks = parking.count ? (struct stack_top *)os_map(room) : &one;
    int ready = mark_init(), complete = stacks && ready && roots_open();
    if (complete) {
        untouched_open();
        follow_everything(&parking, stacks);
        mark_indirect();
        untouched_close();
        count_all();
    } else if (ready) {
        mark_deinit();
    }
    roots_close();
    if (stacks && stacks != &one) os_unmap((uintptr_t)stacks, room);
    resume_catching(paused);
    port_search_ends();
    parking_end(&parking);
    return complete;
}

/* Whether there are answers. */
static int ensure(void) {
    static int failed;
    if (state) return state > 0;
    mark_is_strong = is_base_class;
    int may = confine_leaves_search(); /* a note has said so */
    state = may && read_memory() ? 1 : -1;
    if (may && state < 0)
        rt_note(&failed,
                "no memory or descriptor for the leak search, or no /proc/self/maps: every "
                "block counts as in use");
    return state > 0;
}

void search_begin(const struct search *search) {
    current = search;
    state = 0;
    own_sp = search->stack_low ? search->stack_low : (uintptr_t)__builtin_frame_address(0);
}

void search_end(void) {
    int paused = pause_catching();
    if (state > 0) mark_deinit();
    resume_catching(paused);
    state = 0;
}

/* ---- answers ---- */

/* A thread may have stood between the birth of a block and its life. */
uint8_t *search_marks(struct block block) {
    uint8_t *marks = ensure() ? mark_of(block) : NULL;
    return marks && (*marks & MARK_LIVE) ? marks : NULL;
}

int search_is_done(void) { return state > 0; }

/* Without live blocks of the heap there is nothing to count, and memory need not be read. */
int search_heap_lives(void) {
    uint64_t cursor = 0;
    struct block block;
    while (block_exists(block = block_next(&cursor, WH_BLOCK_LIVE)))
        if (block_kind(block) == WH_KIND_HEAP) return 1;
    return 0;
}

int search_totals(struct wh_leaks *into) {
    if (!state && !search_heap_lives()) {
        *into = (struct wh_leaks){0};
        return 1;
    }
    if (!ensure()) return 0;
    *into = totals;
    return 1;
}
