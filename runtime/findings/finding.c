#include "finding.h"
#include "../process/maps.h"
#include "../settings/options.h"
#include "again.h"
#include "rules.h"
#include "debugger.h"
#include "described.h"
#include "entered.h"
#include "repeat.h"
#include "../calls/calls.h"
#include "../os/os.h"
#include "../os/text.h"
#include "../planes/planes.h"
#include "../record/record.h"
#include "../labels/born.h"
#include "../origins/chains.h"
#include "../definedness/origin.h"
#include "../port/port.h"

#include <stdio.h>

#define STATE_BYTES 128u
#define STATE_BEFORE (64u * WH_GRANULE)

/* Too large for a signal stack; used under the lock. */
static struct {
    struct wh_finding head;
    uint64_t stack[WH_MAX_FRAMES], alloc[WH_ALLOC_FRAMES], free[WH_ALLOC_FRAMES];
    uint8_t states[STATE_BYTES];
    const char *variable, *second_variable;
    uint64_t second_alloc[WH_ALLOC_FRAMES];
    struct described range;
    uint64_t described[WH_ALLOC_FRAMES];
    uint64_t earlier[WH_EARLIER_MOST * (WH_EARLIER_WORDS + WH_ALLOC_FRAMES)];
    char chains[CHAINS_ROOM];
} draft;
static struct os_lock draft_lock;

void finding_lock(void) { os_lock(&draft_lock); }

void finding_unlock(void) { os_unlock(&draft_lock); }

/* ---- stacks ---- */

static unsigned trim(const uint64_t *pcs, unsigned count) {
    while (count > 1 && thread_is_start_code(pcs[count - 1])) count--;
    return count;
}

static unsigned depot_stack(uint32_t handle, uint64_t *pcs) {
    return trim(pcs, depot_get(handle, pcs, WH_ALLOC_FRAMES));
}

/* From the registers at a trap. The first program counter is the instruction's
 * own; it is stored with one added, as if it were a return address. */
static unsigned trapped_stack(struct walk walk, uint64_t *pcs) {
    const struct stack_bounds *own = &thread_self.stack;
    struct stack_bounds other = {0};
    unsigned count = 0;
    cfi_rule rule = cfi_exact(walk.pc++);
    do {
        pcs[count++] = walk.pc;
        if (count > 1) rule = cfi_at(walk.pc);
    } while (count < WH_MAX_FRAMES && unwind_step_anywhere(&walk, rule, own, &other));
    return count;
}

static unsigned program_stack(const struct context *context, uint64_t *pcs) {
    const struct stack_bounds *bounds = &thread_self.stack;
    uint64_t hash;
    unsigned count = 0;
    if (context->frame)
        count = unwind_frames(context->frame, bounds, pcs, WH_MAX_FRAMES, &hash, NULL);
    if (context->trap.pc) count = trapped_stack(context->trap, pcs);
    if (!count && context->place) return depot_stack(context->place, pcs);
    /* At the end of the process: where the object began that the rule is about. */
    if (!count && thread_self.recalled_stack) return depot_stack(thread_self.recalled_stack, pcs);
    return trim(pcs, count);
}

/* ---- each place once ---- */

#define SEEN_SIZE 65536u

static uint64_t seen[SEEN_SIZE];
static uint64_t recorded[SEEN_SIZE]; /* offsets of the findings of these places; 0: none */
static int any_seen;

/* The entry of a place; SEEN_SIZE if there is no room for it. */
static unsigned entry_of(uint64_t key, int *first) {
    if (!key) key = 1;
    *first = 0;
    __atomic_store_n(&any_seen, 1, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < SEEN_SIZE; i++) {
        unsigned at = (key + i) % SEEN_SIZE;
        uint64_t empty = 0;
        *first = __atomic_compare_exchange_n(&seen[at], &empty, key, 0, __ATOMIC_RELAXED,
                                             __ATOMIC_RELAXED);
        if (*first || empty == key) return at;
    }
    static int noted;
    rt_note(&noted, "more than 65536 places with findings: the rest is not reported");
    return SEEN_SIZE;
}

int finding_first_time(uint64_t key) {
    int first;
    return entry_of(key, &first) != SEEN_SIZE && first;
}

/* Whether a finding is the first one of its place, whose entry becomes *place; another is counted.
 * The lock for findings is held. */
static int is_first(uint64_t key, unsigned *place) {
    int first;
    *place = entry_of(key, &first);
    if (*place == SEEN_SIZE) return 0;
    if (first)
        recorded[*place] = 0;
    else
        again_met(recorded[*place]);
    return first;
}

void finding_forget_places(void) {
    if (!__atomic_exchange_n(&any_seen, 0, __ATOMIC_RELAXED)) return;
    for (unsigned i = 0; i < SEEN_SIZE; i++) __atomic_store_n(&seen[i], 0, __ATOMIC_RELAXED);
}

static uint64_t key_of(uint64_t rule, const uint64_t *pcs, unsigned count) {
    uint64_t key = depot_hash_step(DEPOT_HASH_INIT, rule);
    for (unsigned i = 0; i < count && i < options.key_frames; i++)
        key = depot_hash_step(key, pcs[i]);
    return key ^ key >> 32;
}

/* ---- names of library functions ---- */

struct name {
    const char *begin;
    size_t length;
};

static int begins_with(const char *text, const char *start) {
    while (*start && *text == *start) text++, start++;
    return !*start;
}

/* The function as the program wrote it: headers turn sscanf into
 * __isoc99_sscanf, and memcpy into __memcpy_chk where they know a size. */
static struct name source_name(const char *function) {
    static const char *const prefixes[] = {"__isoc99_", "__isoc23_", "__xpg_", "__"};
    static const char suffix[] = "_chk";
    if (!function) return (struct name){NULL, 0};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (begins_with(function, prefixes[i])) {
            function += wh_length(prefixes[i]);
            break;
        }
    size_t length = wh_length(function), tail = sizeof suffix - 1;
    if (length > tail && wh_same(function + length - tail, suffix)) length -= tail;
    return (struct name){function, length};
}

/* ---- the record ---- */

static void fill_event(struct wh_finding *head, const struct context *context,
                       const struct witness *witness) {
    const struct whence_event *event = &context->event;
    int access = event->point == WH_POINT_DEREF_R || event->point == WH_POINT_DEREF_W;
    head->rule = (uint32_t)witness->rule;
    head->point = (uint32_t)event->point;
    head->flags = context->flags;
    head->signal = context->signal;
    head->address = event->r;
    head->size = (WH_POINTS_SIZED >> event->point) & 1 ? event->width + context->beyond : 0;
    head->root = event->root;
    head->bad = access ? context->bad : 0;
    head->time = event->now;
    head->pid = os_process();
    head->tid = os_thread();
    head->thread = thread_self.number;
    head->count = witness->blocks.count;
    head->bytes = witness->blocks.bytes;
    head->count_indirect = witness->blocks.indirect;
    head->bytes_indirect = witness->blocks.indirect_bytes;
    head->inherited = witness->inherited.count;
    head->bytes_inherited = witness->inherited.bytes;
    head->indirect_inherited = witness->inherited.indirect;
    head->bytes_indirect_inherited = witness->inherited.indirect_bytes;
    head->leak_kind = witness->kind;
    head->leak_check = context->check;
}

/* The block that was read into a row; none if the row is of an earlier one. */
static struct block kept_block(const struct whence_block *row) {
    struct block kept = block_inner(row->begin);
    if (!block_exists(kept)) kept = block_handed_out(row->begin);
    if (!block_exists(kept) || block_id(kept) != row->id) kept = block_around(row->begin);
    return block_exists(kept) && block_id(kept) == row->id ? kept : block_none();
}

static void fill_block(struct wh_finding *head, const struct whence_block *block) {
    if (!block->id) return;
    struct block kept = kept_block(block);
    head->block_id = block->id;
    head->block_begin = block->begin;
    head->block_size = block->size;
    head->block_alloc_time = block->id;
    head->block_free_time = block->free_time;
    head->block_state = (uint32_t)block->state;
    head->block_family = (uint32_t)block->family;
    head->block_kind = (uint32_t)block->kind;
    head->block_alloc_thread = (uint32_t)block->thread;
    if (!block_exists(kept)) return;
    head->block_cookie = (uint32_t)(block->begin - block_begin(kept));
    head->block_free_thread = block_free_thread(kept);
    head->n_alloc = depot_stack(block_alloc_stack(kept), draft.alloc);
    head->n_free = depot_stack(block_free_stack(kept), draft.free);
    draft.variable = block_text(kept);
    if (draft.variable) head->n_variable = (uint32_t)wh_length(draft.variable);
    port_describe_block(kept, head);
}

/* Undefined bits of values that were copied from a block may be all that is left of it. */
static void fill_origin(struct wh_finding *head, const struct context *context) {
    const struct whence_event *event = &context->event;
    if (!PORT_PLANES || !(WH_POINTS_FOLLOWED >> event->point & 1)) return;
    int use = event->point == WH_POINT_USE;
    uint64_t origin = use ? event->root : context->origin;
    head->use = use ? (uint32_t)event->width : 0;
    if (!head->n_alloc) head->n_alloc = depot_stack(origin_stack(origin), draft.alloc);
    if (head->n_variable) return;
    draft.variable = origin_text(origin);
    if (draft.variable) head->n_variable = (uint32_t)wh_length(draft.variable);
}

/* Labels that a value has, or that the rule has found in memory. */
static void fill_birth(struct wh_finding *head, const struct context *context) {
    uint32_t birth = context->birth ? context->birth : PORT_PLANES ? birth_answered() : 0;
    if (!birth || head->n_alloc) return;
    head->n_alloc = depot_stack(birth, draft.alloc);
    if (head->n_alloc) head->flags |= WH_FLAG_LABELLED;
}

static void fill_descriptor(struct wh_finding *head, const struct descriptor *descriptor) {
    if (!descriptor) return;
    head->block_begin = descriptor->number;
    head->block_alloc_time = descriptor->opened_time;
    head->block_free_time = descriptor->closed_time;
    head->block_alloc_thread = descriptor->opened_thread;
    head->block_free_thread = descriptor->closed_thread;
    if (descriptor->opened_time) head->n_alloc = depot_stack(descriptor->opened_stack, draft.alloc);
    head->n_free = depot_stack(descriptor->closed_stack, draft.free);
}

static void fill_earlier(struct wh_finding *head, const struct earlier_steps *earlier) {
    for (unsigned i = 0; i < earlier->count; i++) {
        const struct earlier *step = &earlier->steps[i];
        uint64_t *words = draft.earlier + head->n_earlier;
        unsigned count = depot_stack(step->stack, words + WH_EARLIER_WORDS);
        words[0] = step->kind | (uint64_t)step->subject << 32;
        words[1] = step->thread | (uint64_t)count << 32;
        words[2] = step->time;
        head->n_earlier += WH_EARLIER_WORDS + count;
    }
}

static void fill_chains(struct wh_finding *head, const struct context *context,
                        const struct whence_block *block) {
    if (!PORT_PLANES) return;
    struct text text = {draft.chains, sizeof draft.chains, 0};
    if (PORT_OBSERVED) {
        port_written(context, head->n_stack > 1 ? draft.stack[1] : 0, &text);
        head->n_chains = (uint32_t)text.length;
    }
    if (!options.origins) return;
    chains_describe(&context->event, block, context->library,
                    context->event.width + context->beyond, (context->flags & WH_FLAG_FETCH) != 0,
                    &text);
    head->n_chains = (uint32_t)text.length;
}

/* The live block at an address that is not the pointer's own; id 0: none. What a local variable
 * lies in is the stack, which the program made, and nothing that was hit. */
static struct whence_block hit_at(uint64_t address, const struct whence_block *own) {
    struct whence_block hit;
    block_read(block_at(address), &hit);
    if (hit.state != WH_BLOCK_LIVE || hit.id == own->id) hit.id = 0;
    if (own->id && own->kind == WH_KIND_STACK && own->begin - hit.begin < hit.size) hit.id = 0;
    return hit;
}

static void fill_hit(struct wh_finding *head, uint64_t address, const struct whence_block *own) {
    struct whence_block hit = hit_at(address, own);
    if (!hit.id) return;
    head->hit_id = hit.id;
    head->hit_begin = hit.begin;
    head->hit_size = hit.size;
}

static void fill_second(struct wh_finding *head, const struct pointer *second) {
    const struct whence_block *block = &second->block;
    struct whence_block hit = hit_at(second->address, block);
    head->second_address = second->address;
    head->second_root = second->root;
    if (hit.id) {
        head->second_hit_id = hit.id;
        head->second_hit_begin = hit.begin;
        head->second_hit_size = hit.size;
    }
    if (!block->id) return;
    head->second_id = block->id;
    head->second_begin = block->begin;
    head->second_size = block->size;
    head->second_state = (uint32_t)block->state;
    head->second_family = (uint32_t)block->family;
    head->second_alloc_thread = (uint32_t)block->thread;
    head->second_kind = (uint32_t)block->kind;
    struct block kept = kept_block(block);
    if (!block_exists(kept)) return;
    head->n_second_alloc = depot_stack(block_alloc_stack(kept), draft.second_alloc);
    draft.second_variable = block_text(kept);
    if (draft.second_variable) head->n_second_variable = (uint32_t)wh_length(draft.second_variable);
}

static void fill_undefined(struct wh_finding *head, const struct undefined_bytes *undefined) {
    head->read_begin = undefined->begin;
    head->read_size = undefined->size;
    head->n_undefined = 2 * undefined->count;
    head->undefined_more = undefined->more;
}

static void fill_described(struct wh_finding *head) {
    draft.range = described_at(head->address);
    if (!draft.range.size && head->bad) draft.range = described_at(head->bad);
    if (!draft.range.size) return;
    head->described_begin = draft.range.begin;
    head->described_size = draft.range.size;
    head->n_description = draft.range.length;
    head->n_described = depot_stack(draft.range.stack, draft.described);
}

static void fill_states(struct wh_finding *head, uint64_t address) {
    uint64_t begin = wh_round_down(address, 8 * WH_GRANULE);
    begin = begin > STATE_BEFORE ? begin - STATE_BEFORE : 0;
    if (!plane_covers(begin) || !plane_covers(begin + STATE_BYTES * WH_GRANULE)) return;
    head->state_begin = begin;
    head->n_states = STATE_BYTES;
    wh_copy(draft.states, plane_state(begin), STATE_BYTES);
}

static enum record_status append(const struct context *context, const struct witness *witness,
                                 uint64_t *offset) {
    const struct wh_finding *head = &draft.head;
    const struct record_part parts[] = {
        {head, sizeof *head},
        {draft.stack, head->n_stack * sizeof(uint64_t)},
        {draft.alloc, head->n_alloc * sizeof(uint64_t)},
        {draft.free, head->n_free * sizeof(uint64_t)},
        {witness->values, head->n_values * sizeof(uint64_t)},
        {draft.states, head->n_states},
        {source_name(context->library).begin, head->n_name},
        {draft.variable, head->n_variable},
        {context->types, head->n_types},
        {draft.chains, head->n_chains},
        {draft.range.text, head->n_description},
        {draft.described, head->n_described * sizeof(uint64_t)},
        {draft.second_alloc, head->n_second_alloc * sizeof(uint64_t)},
        {draft.second_variable, head->n_second_variable},
        {context->undefined ? context->undefined->runs : NULL,
         head->n_undefined * sizeof(uint64_t)},
        {draft.earlier, head->n_earlier * sizeof(uint64_t)},
    };
    unsigned count = sizeof parts / sizeof *parts;
    if (head->key) return record_once(WH_RECORD_FINDING, parts, count, offset);
    return record_append_at(WH_RECORD_FINDING, parts, count, offset);
}

/* ---- without a record file ---- */

static void say(const struct wh_finding *head, const struct context *context) {
    struct port_stacks stacks = {draft.stack, draft.alloc, draft.free};
    struct port_words words = {rules_name(head->rule), rules_noun(head->point),
                               source_name(context->library).begin};
    port_say(head, &words, stacks);
}

/* ---- stopping ---- */

/* Output that the program has already made and buffered must not be lost, but a
 * broken or busy stream must not hang us: only standard output is flushed, and
 * only if nobody holds its lock, this thread included (the first word of
 * glibc's lock says so; ftrylockfile would let the owner in). */
void finding_flush(void) {
    const uint32_t *lock = (const uint32_t *)stdout->_lock;
    if (!lock || *lock || ftrylockfile(stdout)) return;
    fflush_unlocked(stdout);
    funlockfile(stdout);
}

int finding_is_held(void) { return options.held && (uint32_t)options.held == os_process(); }

int finding_hold(int status) {
    return finding_is_held() && record_hold(status, (uint32_t)options.reader);
}

void (*finding_death_callback)(void);

/* The function runs where the lock for findings is held, so no rule is evaluated for it. */
static void call_death_callback(void) {
    void (*callback)(void) = finding_death_callback;
    finding_death_callback = NULL;
    thread_self.silent++;
    if (callback) callback();
    thread_self.silent--;
}

/* ---- what the program wants to be told ---- */

void (*finding_report_callback)(const char *report);

/* The program may define it. */
__attribute__((weak)) void __asan_on_error(void);

static void put_report(struct text *line, const struct wh_finding *head,
                       const struct context *context) {
    struct name by = source_name(context->library);
    text_put(line, rules_name(head->rule));
    text_put(line, ": ");
    text_put(line, rules_noun(head->point));
    if (head->size) {
        text_put(line, " of ");
        text_decimal(line, head->size);
        text_put(line, " bytes");
    }
    text_put(line, " at ");
    text_hex(line, head->address);
    if (by.begin) {
        text_put(line, " by ");
        text_put_n(line, by.begin, by.length);
    }
    if (head->n_stack) {
        text_put(line, "; pc ");
        text_hex(line, draft.stack[0]);
    }
    text_put(line, "\n");
}

/* Its functions run where the lock for findings is held, so no rule is evaluated for them. */
static void tell_program(const struct wh_finding *head, const struct context *context) {
    if (context->check || (!__asan_on_error && !finding_report_callback)) return;
    TEXT(line, 256);
    put_report(&line, head, context);
    line.begin[line.length < line.capacity ? line.length : line.capacity - 1] = 0;
    thread_self.silent++;
    if (__asan_on_error) __asan_on_error();
    if (finding_report_callback) finding_report_callback(line.begin);
    thread_self.silent--;
}

_Noreturn void finding_stop(void) {
    call_death_callback();
    finding_flush();
    record_finish();
    finding_hold((int)options.exitcode << 8);
    /* A child of vfork ends alone, and its parent goes on with this memory and with the lock. */
    if (!os_has_threads() || thread_self.tid != os_thread()) os_unlock(&draft_lock);
    os_exit((int)options.exitcode);
}

static int stops(const struct context *context, const struct witness *witness) {
    return options.halt && !context->check && witness->rule != WH_RULE_SIGNAL;
}

static uint64_t made;

uint64_t finding_count(void) { return __atomic_load_n(&made, __ATOMIC_RELAXED); }

void finding_make(struct context *context, const struct witness *witness) {
    static int full, lost;
    unsigned place = SEEN_SIZE;
    if (WH_UNLIKELY(debugger_off(witness->rule))) return;
    os_lock(&draft_lock);
    context->findings++;
    wh_fill(&draft.head, 0, sizeof draft.head);
    struct wh_finding *head = &draft.head;
    head->n_stack = program_stack(context, draft.stack);
    int stopping = stops(context, witness);
    int asking = stopping && options.judge;
    if ((context->flags & WH_FLAG_SIGNAL) && context->findings == 1)
        context->repeats = repeat_is(context, draft.stack, head->n_stack);
    if (context->repeats) {
        os_unlock(&draft_lock);
        return;
    }
    if (!stopping) repeat_note(context, draft.stack, head->n_stack);
    if ((!stopping || asking) && !context->collect &&
        !is_first(key_of(witness->rule, draft.stack, head->n_stack), &place)) {
        os_unlock(&draft_lock);
        return;
    }
    fill_event(head, context, witness);
    const struct whence_block *block = witness->block ? witness->block : &context->event.block;
    fill_block(head, block);
    fill_chains(head, context, block);
    fill_origin(head, context);
    fill_birth(head, context);
    fill_descriptor(head, context->descriptor);
    if (context->earlier) fill_earlier(head, context->earlier);
    if (head->bad || context->second) fill_hit(head, context->event.r, block);
    if (context->second) fill_second(head, context->second);
    if (context->undefined) fill_undefined(head, context->undefined);
    if (head->address) fill_states(head, head->bad ? head->bad : head->address);
    if (head->address) fill_described(head);
    head->n_values = (uint32_t)witness->value_count;
    head->n_name = (uint32_t)source_name(context->library).length;
    if (context->types) head->n_types = (uint32_t)wh_length(context->types);
    if (stopping) head->flags |= asking ? WH_FLAG_HALTED | WH_FLAG_ASKED : WH_FLAG_HALTED;
    maps_tell_process();
    head->maps_id = maps_current();
    head->key = again_key(head, draft.stack, draft.alloc);
    uint64_t offset = 0;
    calls_write();
    entered_write();
    enum record_status status = append(context, witness, &offset);
    if (place != SEEN_SIZE && (status == RECORD_OK || status == RECORD_KNOWN))
        recorded[place] = offset;
    if (status == RECORD_KNOWN) status = again_count(offset, head);
    record_count_finding();
    __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
    int unread = options.reader && record_reader_has_ended((uint32_t)options.reader);
    if (status != RECORD_OK || unread) say(head, context);
    if (status == RECORD_FULL)
        rt_note(&full, "the record file is full: later findings are printed as plain lines");
    if (status == RECORD_LOST)
        rt_note(&lost, "the record file was cut short: findings are printed as plain lines");
    if (asking && status == RECORD_OK) {
        int verdict = record_ask(offset, (uint32_t)options.judge);
        if (verdict < 0 && !unread) say(head, context); /* nobody is left who could report it */
        stopping = verdict <= 0;
    }
    if (!asking || stopping) tell_program(head, context);
    if (!context->check && (stopping || !options.halt || (context->flags & WH_FLAG_SIGNAL)) &&
        debugger_attaches(rules_name(head->rule)))
        stopping = 0; /* the debugger sees the faulty step */
    if (!context->check) debugger_stop(witness->rule);
    if (stopping) finding_stop();
    os_unlock(&draft_lock);
}
