/* modules: findings/finding findings/described definedness/origin blocks/block blocks/blocks blocks/claims stacks/depot stacks/unwind stacks/cfi planes/planes os/os os/text */
#include "../../../runtime/labels/born.h"
#include "../../../runtime/blocks/provider.h"
#include "../../../runtime/calls/calls.h"
#include "../../../runtime/findings/finding.h"
#include "../../../runtime/findings/repeat.h"
#include "../../../runtime/findings/rules.h"
#include "../../../runtime/planes/planes.h"
#include "../../../runtime/process/closed.h"
#include "../../../runtime/process/images.h"
#include "../../../runtime/process/maps.h"
#include "../../../runtime/settings/options.h"
#include "../../../runtime/record/record.h"
#include "../../../runtime/findings/debugger.h"
#include "../../../runtime/origins/chains.h"
#include "unit.h"

uint32_t birth_answered(void) { return 0; }

/* ---- what finding.c needs of the rest of the runtime ---- */

int debugger_off(uint64_t rule) { return (void)rule, 0; }
void debugger_stop(uint64_t rule) { (void)rule; }
int debugger_attaches(const char *rule) { return (void)rule, 0; }
void chains_describe(const struct whence_event *event, const struct whence_block *block,
                     const char *library, uint64_t length, int is_call, struct text *into) {
    (void)event, (void)block, (void)library, (void)length, (void)is_call, (void)into;
}

/* ---- a provider of three stack blocks, 64 bytes apart: live, freed, never used ---- */

enum { ROOMS = 3, PITCH = 64, SIZE = 40 };
static char memory[ROOMS * PITCH] __attribute__((aligned(PITCH)));
static uint32_t stacks[2];
static uint64_t ids[ROOMS + 1];

static uint64_t toy_around(uintptr_t address) { return (address - (uintptr_t)memory) / PITCH + 1; }

static uint64_t toy_nearest(uintptr_t address) {
    uint64_t number = toy_around(address);
    return number == ROOMS ? ROOMS - 1 : number;
}

static uint64_t toy_count(void) { return ROOMS + 1; }

static void toy_read(uint64_t number, struct block_facts *facts) {
    if (number == ROOMS) return;
    facts->row.begin = (uintptr_t)memory + (number - 1) * PITCH;
    facts->row.size = SIZE;
    facts->row.id = ids[number];
    facts->row.thread = 5;
    facts->row.state = number == 1 ? WH_BLOCK_LIVE : WH_BLOCK_FREED;
    facts->alloc_stack = stacks[0];
    if (number == 1) return;
    facts->row.free_time = ids[number] + 100;
    facts->free_thread = 6;
    facts->free_stack = stacks[1];
}

static struct block_provider toy = {.kind = WH_KIND_STACK,
                                    .around = toy_around,
                                    .nearest = toy_nearest,
                                    .count = toy_count,
                                    .read = toy_read};

static uintptr_t at(unsigned room, unsigned offset) {
    return (uintptr_t)memory + room * PITCH + offset;
}

/* ---- what finding.c needs of the rest of the runtime ---- */

uint32_t images_version(void) { return 0; }
int images_hold(uint64_t address) { return (void)address, 0; }
uint64_t images_begin(uint32_t *cursor, uint64_t *end) { return (void)cursor, (void)end, 0; }

__thread struct thread thread_self;

/* No library is closed. */
const void *closed_kept(const void *pointer) { return pointer; }
int rt_ready = 1;
struct options options;
void rt_note(int *said, const char *sentence) {
    *said = 1;
    fprintf(stderr, "%s\n", sentence);
}
int thread_is_start_code(uint64_t pc) { return (void)pc, 0; }
void maps_tell_process(void) {}
void calls_write(void) {}
void entered_write(void) {}
uint32_t maps_current(void) { return 0; }
uint64_t again_key(const struct wh_finding *head, const uint64_t *stack, const uint64_t *alloc) {
    return (void)head, (void)stack, (void)alloc, 0;
}
void again_met(uint64_t offset) { (void)offset; }
enum record_status again_count(uint64_t offset, const struct wh_finding *head) {
    return (void)offset, (void)head, RECORD_LOST;
}
enum record_status record_once(uint32_t type, const struct record_part *parts, unsigned count,
                               uint64_t *offset) {
    return record_append_at(type, parts, count, offset);
}
const char *rules_name(uint64_t index) { return (void)index, "toy"; }
const char *rules_noun(uint64_t point) { return (void)point, "access"; }
void repeat_note(const struct context *context, const uint64_t *pcs, unsigned count) {
    (void)context, (void)pcs, (void)count;
}
int repeat_is(const struct context *context, const uint64_t *pcs, unsigned count) {
    return (void)context, (void)pcs, (void)count, 0;
}
void port_describe_block(struct block block, struct wh_finding *head) { (void)block, (void)head; }
void port_before_debugger(void) {}
void port_say(const struct wh_finding *head, const struct port_words *words,
              struct port_stacks said) {
    (void)head, (void)words, (void)said;
}
int record_ask(uint64_t offset, uint32_t judge) { return (void)offset, (void)judge, 0; }
int record_reader_has_ended(uint32_t process) { return (void)process, 0; }
void record_count_finding(void) {}
void record_finish(void) {}
int record_hold(int status, uint32_t reader) { return (void)status, (void)reader, 0; }
static struct wh_finding recorded;
static uint64_t recorded_alloc[WH_ALLOC_FRAMES];

enum record_status record_append_at(uint32_t type, const struct record_part *parts, unsigned count,
                                    uint64_t *offset) {
    CHECK(type == WH_RECORD_FINDING && count > 2);
    recorded = *(const struct wh_finding *)parts[0].data;
    memcpy(recorded_alloc, parts[2].data, parts[2].size);
    *offset = 0;
    return RECORD_OK;
}

/* ---- the interface ---- */

static void addresses_lead_to_blocks(void) {
    struct block live = block_around(at(0, 63)), freed = block_around(at(1, 0));
    CHECK(block_exists(live) && block_exists(freed) && !block_same(live, freed));
    CHECK(block_same(block_at(at(0, 39)), live) && !block_exists(block_at(at(0, 40))));
    CHECK(block_same(block_nearest(at(0, 63)), live));
    CHECK(block_same(block_nearest(at(2, 0)), freed));
    CHECK(block_exists(block_around(at(2, 0))) && !block_exists(block_at(at(2, 0))));
    CHECK(!block_exists(block_around(at(3, 0))) && !block_exists(block_nearest(at(3, 0))));
}

static void facts_are_the_provider_s(void) {
    struct block block = block_at(at(1, 8));
    CHECK_EQUAL(block_begin(block), at(1, 0));
    CHECK_EQUAL(block_size(block), SIZE);
    CHECK_EQUAL(block_state(block), WH_BLOCK_FREED);
    CHECK_EQUAL(block_kind(block), WH_KIND_STACK);
    CHECK_EQUAL(block_family(block), 0);
    CHECK_EQUAL(block_id(block), ids[2]);
    CHECK_EQUAL(block_free_time(block), ids[2] + 100);
    CHECK_EQUAL(block_thread(block), 5);
    CHECK_EQUAL(block_free_thread(block), 6);
    CHECK_EQUAL(block_alloc_stack(block), stacks[0]);
    CHECK_EQUAL(block_free_stack(block), stacks[1]);
    CHECK(!block_is_live(block) && block_begins_live(block_at(at(0, 1)), at(0, 0)));
    struct whence_block row;
    block_read(block, &row);
    CHECK(row.begin == at(1, 0) && row.kind == WH_KIND_STACK && row.id == ids[2]);
    block_read(block_around(at(2, 0)), &row);
    CHECK_EQUAL(row.id, 0);
}

static void memory_has_the_kind_of_its_blocks(void) {
    uintptr_t end = at(ROOMS, 0);
    CHECK(blocks_govern(at(0, 0)) && blocks_govern(end - 1) && !blocks_govern(end));
    CHECK_EQUAL(blocks_kind(at(2, 63)), WH_KIND_STACK);
    CHECK_EQUAL(blocks_kind(end), WH_KIND_ELSEWHERE);
    CHECK(blocks_apart(at(0, 0), at(1, 0)) && blocks_apart(at(0, 0), end));
    CHECK(blocks_apart(end, at(0, 0)) && blocks_apart(at(0, 0), WH_HEAP_BASE));
    CHECK(blocks_apart(end, WH_HEAP_BASE));
    CHECK(!blocks_apart(at(0, 0), at(0, 63)) && !blocks_apart(end, end + 64));
    CHECK_EQUAL(blocks_live_range(at(0, 3)).begin, at(0, 0));
    CHECK_EQUAL(blocks_live_range(at(0, 3)).size, SIZE);
    CHECK_EQUAL(blocks_live_range(at(1, 3)).size, 0); /* freed */
    CHECK_EQUAL(blocks_reach(at(0, 0) - 1), at(0, 0));
    CHECK_EQUAL(blocks_reach(at(1, 3)), end);
    CHECK_EQUAL(blocks_live_end(at(0, 3)), at(0, SIZE));
    CHECK(blocks_live(at(0, 1), SIZE - 1) && !blocks_live(at(0, 1), SIZE));
}

static void iteration_and_numbers_cover_all_kinds(void) {
    uint64_t cursor = 0, total = blocks_number_all();
    struct block first = block_next(&cursor, 0), second = block_next(&cursor, 0);
    CHECK(block_same(first, block_at(at(0, 0))) && block_same(second, block_at(at(1, 0))));
    CHECK(!block_exists(block_next(&cursor, 0)));
    for (cursor = 0; block_exists(first = block_next_larger(&cursor, WH_BLOCK_FREED));)
        CHECK(block_same(first, second));
    CHECK(block_same(block_find(ids[2]), second));
    CHECK(block_number(second) < total && block_number(block_at(at(0, 0))) < block_number(second));
    CHECK(block_same(block_of_word(block_word(second)), second));
}

static void findings_name_the_kind(void) {
    struct context context = {0};
    block_read(block_at(at(1, 0)), &context.event.block);
    context.event.r = context.event.root = at(1, 0);
    struct witness witness = {.rule = 0};
    finding_make(&context, &witness);
    CHECK_EQUAL(recorded.block_kind, WH_KIND_STACK);
    CHECK_EQUAL(recorded.block_begin, at(1, 0));
    CHECK_EQUAL(recorded.block_state, WH_BLOCK_FREED);
    CHECK_EQUAL(recorded.block_alloc_thread, 5);
    CHECK_EQUAL(recorded.block_free_thread, 6);
    CHECK_EQUAL(recorded.n_alloc, 2);
    CHECK_EQUAL(recorded_alloc[1], 0x5678);
    CHECK_EQUAL(recorded.n_free, 1);
}

static void ranges_do_not_overlap(void) {
    struct block_provider other = toy;
    CHECK(!blocks_provide(&toy));
    other.begin = toy.end - 1;
    other.end = toy.end + 1;
    CHECK(!blocks_provide(&other));
    other.begin = other.end = toy.end;
    CHECK(!blocks_provide(&other));
    other.begin = WH_HEAP_BASE - 1;
    other.end = WH_HEAP_BASE + 1;
    CHECK(!blocks_provide(&other));
    CHECK_EQUAL(blocks_providers, 1);
}

int main(void) {
    const uint64_t allocated[] = {0x1234, 0x5678}, freed[] = {0x9abc};
    uintptr_t begin;
    size_t size;
    CHECK_EQUAL(blocks_init(&begin, &size), 0);
    CHECK_EQUAL(depot_init(&begin, &size), 0);
    CHECK_EQUAL(planes_init(&begin, &size), 0);
    stacks[0] = depot_put(allocated, 2, 1);
    stacks[1] = depot_put(freed, 1, 2);
    for (unsigned number = 1; number <= ROOMS; number++) ids[number] = blocks_tick();
    toy.begin = at(0, 0);
    toy.end = at(ROOMS, 0);
    CHECK(blocks_provide(&toy));
    addresses_lead_to_blocks();
    facts_are_the_provider_s();
    memory_has_the_kind_of_its_blocks();
    iteration_and_numbers_cover_all_kinds();
    findings_name_the_kind();
    ranges_do_not_overlap();
    return 0;
}
