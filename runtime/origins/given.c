#include "given.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "cells.h"
#include "index.h"
#include "mapped.h"

#include <sys/stat.h>

#define INPUT_BITS 19u
#define MOST_INPUTS (1u << INPUT_BITS)
#define INDEX_COUNT (2u * MOST_INPUTS)

struct input {
    struct whence_origin_site site;         /* of its node; the texts are those of the call */
    struct whence_origin_site *call, *copy; /* what has copied it last; NULL: nothing */
    uint64_t address;                       /* of its first byte, inverted: it holds no block */
    uint64_t offset, size;
    uint64_t first, count, digest; /* of the bytes that were read, as in a record */
    uint32_t source;
    uint32_t before;    /* the input that was copied, if that is a copy itself; 0: it is none */
    uint32_t copies;    /* how many, MANY: others than `copy` are not known */
    uint64_t parts_end; /* of a whole: no part of it that is known begins from there on */
    uint64_t unused;
};
_Static_assert(sizeof(struct input) == NODE_INPUTS_APART, "the index of nodes relies on it");
/* As long as a chain of copies may be. */
#define MOST_COPIES 8u
#define MANY (MOST_COPIES + 1)

#define INPUTS ((struct input *)WH_ORIGIN_INPUTS_BASE)
#define INPUTS_SIZE (MOST_INPUTS * sizeof(struct input))
/* The inputs by their hash (index.h), 0: none. */
#define INDEX ((uint32_t *)(WH_ORIGIN_INPUTS_BASE + INPUTS_SIZE))

long given_init(uintptr_t *begin, size_t *size) {
    *begin = WH_ORIGIN_INPUTS_BASE;
    *size = wh_round_up(INPUTS_SIZE + INDEX_COUNT * sizeof(uint32_t), OS_PAGE);
    return os_reserve(*begin, *size, OS_READ_WRITE);
}

/* ---- inputs ---- */

static uint64_t hash_of(const struct input *input) {
    uint64_t hash =
        index_mixed(index_mixed((uintptr_t)input->call, (uintptr_t)input->copy), input->address);
    hash = index_mixed(index_mixed(hash, input->offset / INDEX_NEIGHBOURS),
                       input->size << 32 ^ input->source);
    return index_hash(index_mixed(hash, input->before), input->offset);
}

static int is_same(const struct input *known, const struct input *input) {
    return known->call == input->call && known->copy == input->copy &&
           known->address == input->address && known->offset == input->offset &&
           known->size == input->size && known->source == input->source &&
           known->before == input->before && known->copies == input->copies &&
           known->digest == input->digest;
}

static uint32_t used;

/* Parts of inputs, which can be as many as there are bytes, leave room for whole ones. */
#define MOST_PARTS (MOST_INPUTS / 4 * 3)

static uint32_t take_number(const struct input *input) {
    uint32_t most = input->address ? MOST_INPUTS - 1 : MOST_PARTS;
    if (__atomic_load_n(&used, __ATOMIC_RELAXED) >= most) return 0;
    uint32_t number = __atomic_add_fetch(&used, 1, __ATOMIC_RELAXED);
    if (number <= most) return number;
    __atomic_sub_fetch(&used, 1, __ATOMIC_RELAXED);
    return 0;
}

static void fill(struct input *to, const struct input *input) {
    *to = *input;
    to->site.text = site_text(input->call);
    to->site.scope = site_scope(input->call);
}

/* An equal input, which is added if there is none; NULL without room. */
static struct input *find(const struct input *input) {
    uint32_t own = 0;
    uint64_t hash = hash_of(input);
    for (uint64_t passed = 0;; passed++) {
        uint32_t *entry = &INDEX[index_at(hash, passed, INDEX_COUNT)];
        uint32_t known = __atomic_load_n(entry, __ATOMIC_ACQUIRE);
        if (!known) {
            if (!own && !(own = take_number(input))) return NULL;
            fill(&INPUTS[own], input);
            if (__atomic_compare_exchange_n(entry, &known, index_entry(hash, own, INPUT_BITS), 0,
                                            __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
                return &INPUTS[own];
        }
        uint32_t number = index_number(known, hash, INPUT_BITS);
        if (number && is_same(&INPUTS[number], input)) return &INPUTS[number];
    }
}

static struct input *input_of(const struct whence_origin_site *site) {
    return WH_CONTAINER(site, struct input, site);
}

/* Node 0 of all inputs. */
#define NO_THREAD ((uint32_t)WH_ORIGIN_TAG_INPUT << WH_ORIGIN_NODES_BITS)

static uint32_t node_of(struct input *input, uint32_t parent) {
    return node_make(&input->site, parent, WH_NODE_INPUT);
}

/* ---- the calls that give them ---- */

int given_is_call(const struct whence_origin_site *site, const char *function) {
    const char *text = site_name(site);
    while (*function && *text == *function) text++, function++;
    return !*function && (*text == '\t' || *text == '(');
}

static struct whence_origin_site *take_calling(void) {
    struct whence_origin_passed *own = &__whence_origins.passed;
    struct whence_origin_site *site = (void *)(uintptr_t)own->calling;
    if (site) own->calling = own->returned = 0;
    return site;
}

struct whence_origin_site *given_calling(const char *function) {
    struct whence_origin_site *site = take_calling();
    return site && given_is_call(site, function) ? site : NULL;
}

struct whence_origin_site *given_parsing(const char *function) {
    struct whence_origin_site *site = take_calling();
    int is_pointer = site && site_name(site)[0] == '(';
    return site && (is_pointer || given_is_call(site, function)) ? site : NULL;
}

/* Sites for calls by code that is not followed, one for each function. */
#define MOST_FUNCTIONS 128u
#define MOST_TEXT 64u

static struct {
    struct whence_origin_site site;
    const char *function;
    char text[MOST_TEXT];
    uint32_t state;
} elsewhere[MOST_FUNCTIONS];

static struct whence_origin_site *site_elsewhere(const char *function) {
    for (unsigned i = 0; i < MOST_FUNCTIONS; i++) {
        struct whence_origin_site *site = &elsewhere[i].site;
        uint32_t state = __atomic_load_n(&elsewhere[i].state, __ATOMIC_ACQUIRE);
        if (state == ROW_KNOWN && elsewhere[i].function == function) return site;
        if (state != ROW_FREE ||
            !__atomic_compare_exchange_n(&elsewhere[i].state, &state, ROW_BEGUN, 0,
                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            continue;
        struct text text = {elsewhere[i].text, MOST_TEXT - 1, 0};
        text_put(&text, "outside\t0\t0\t");
        text_put(&text, function);
        text_put(&text, "\tinput");
        elsewhere[i].function = function;
        site->text = elsewhere[i].text;
        site->scope = "\t";
        __atomic_store_n(&elsewhere[i].state, ROW_KNOWN, __ATOMIC_RELEASE);
        return site;
    }
    return NULL;
}

/* What a process that sent the bytes can be recognised by: of a file without places, all bytes up
 * to these. */
static void sign(struct input *input, const struct input_bytes *bytes, const void *content) {
    if (!content || bytes->is_part || bytes->offset == WH_INPUT_NOWHERE) return;
    if (!bytes->channel) {
        input->first = bytes->offset;
        input->count = bytes->size;
        input->digest = wh_digest(WH_DIGEST_OF_NOTHING, content, bytes->size);
        return;
    }
    struct source *channel = source_at(bytes->channel);
    if (channel->digested != bytes->offset) return;
    channel->digest = wh_digest(channel->digest, content, bytes->size);
    channel->digested += bytes->size;
    input->count = channel->digested;
    input->digest = channel->digest;
}

static struct input whole_input(const char *function, struct whence_origin_site *call,
                                struct input_bytes bytes, const void *content) {
    if (!call) call = site_elsewhere(function);
    struct input whole = {
        .call = call, .offset = bytes.offset, .size = bytes.size, .source = bytes.source};
    sign(&whole, &bytes, content);
    return whole;
}

void given_arrived(const char *function, struct whence_origin_site *call, struct input_bytes bytes,
                   uintptr_t to) {
    if (!bytes.size) return;
    struct input whole = whole_input(function, call, bytes, (const void *)to);
    if (!whole.call) return;
    whole.address = ~to;
    struct input *input = bytes.source ? find(&whole) : NULL;
    uint32_t node = input ? node_of(input, NO_THREAD) : node_make(whole.call, node_own(), 0);
    cells_set(whole.call, node, to, bytes.size);
}

uint32_t given_returned(const char *function, struct whence_origin_site *call,
                        struct input_bytes bytes, const void *content) {
    struct input whole = whole_input(function, call, bytes, content);
    struct input *input = whole.call && bytes.source ? find(&whole) : NULL;
    if (input) return node_of(input, node_own());
    return whole.call ? node_make(whole.call, node_own(), 0) : 0;
}

/* ---- mapped files ---- */

void given_mapped(const char *function, struct whence_origin_site *call, int file, uint64_t offset,
                  uintptr_t begin, uint64_t size) {
    struct os_identity now;
    if (os_identify(file, &now) || !S_ISREG(now.mode) || now.size <= offset) return;
    struct mapped what = {call ? call : site_elsewhere(function), source_of_file(file, &now),
                          offset};
    if (what.call && what.source) mapped_add(what, file, begin, size, now.size - offset);
}

/* The first bytes, as far as they are those of a mapped file; none without a call. */
static struct input mapped_input(uintptr_t address, uint64_t size) {
    struct mapped what;
    size = mapped_find(address, size, &what);
    if (!size) return (struct input){.call = NULL};
    return (struct input){
        .call = what.call, .offset = what.offset, .size = size, .source = what.source};
}

/* ---- parts of them ---- */

/* A part; the whole, where there is no room for it. */
static struct input *part_of(struct input *whole, const struct input *part) {
    int is_full = __atomic_load_n(&used, __ATOMIC_RELAXED) >= MOST_PARTS;
    if (is_full && part->offset >= whole->parts_end) return whole;
    struct input *made = find(part);
    if (made && whole->parts_end <= part->offset) whole->parts_end = part->offset + 1;
    return made ? made : whole;
}

static void forget_copies(struct input *input) {
    input->copy = NULL;
    input->before = input->copies = 0;
}

/* The node of a part behind the copies of the whole. */
static uint32_t behind_copies(const struct input *whole, uint32_t node) {
    if (!node || !whole->copy) return node;
    if (whole->copies == MANY) return node_make(whole->copy, node, WH_NODE_SKIPPED);
    if (whole->before) node = behind_copies(&INPUTS[whole->before], node);
    return node_step(whole->copy, node);
}

uint32_t given_part(uint32_t node, uintptr_t address, uint64_t size) {
    struct input *whole = input_of(node_at(node)->site);
    uint64_t behind = address - ~whole->address;
    struct input part = *whole;
    part.address = 0;
    forget_copies(&part);
    if (behind < whole->size && size <= whole->size - behind) {
        part.offset += whole->offset == WH_INPUT_NOWHERE ? 0 : behind;
        part.size = size;
    }
    return behind_copies(whole, node_of(part_of(whole, &part), node_own()));
}

static int was_copied_by(const struct input *input, const struct whence_origin_site *site) {
    while (input->copy != site && input->before) input = &INPUTS[input->before];
    return input->copy == site;
}

/* A site that has copied it before is not added again, as in a loop. */
static void add_copy(struct input *moved, const struct input *from,
                     struct whence_origin_site *site) {
    moved->copy = site;
    if (from->copy == site) return;
    int is_long = from->copies >= MOST_COPIES || was_copied_by(from, site);
    moved->before = from->copy && !is_long ? (uint32_t)(from - INPUTS) : 0;
    moved->copies = is_long ? MANY : from->copies + 1;
}

uint32_t given_copied(uint32_t node, struct whence_origin_site *site, uintptr_t to,
                      uintptr_t from) {
    const struct input *source = input_of(node_at(node)->site);
    struct input moved = *source;
    moved.address = ~(~moved.address + (to - from));
    add_copy(&moved, source, site);
    struct input *made = find(&moved);
    if (made) return node_of(made, NO_THREAD);
    uint32_t whole = node_of(input_of(node_at(node)->site), node_own());
    return whole ? node_step(site, whole) : 0;
}

/* The input that a chain begins with; NULL: with none. *far is set where there are hops behind it
 * that are not arithmetic. */
static const struct input *birth_of(uint32_t node, int *far) {
    const struct node *last = node_at(node), *birth = last ? node_at(last->birth) : NULL;
    if (!birth || !(birth->flags & WH_NODE_INPUT)) return NULL;
    *far |= last->is_moved;
    return input_of(birth->site);
}

uint32_t given_joined(uint32_t one, uint32_t other, int *far) {
    const struct input *a = birth_of(one, far), *b = birth_of(other, far);
    if (!a || !b || a->source != b->source) return 0;
    if (a->offset > b->offset) {
        const struct input *lower = b;
        b = a, a = lower;
    }
    if (a->offset == WH_INPUT_NOWHERE || b->offset - a->offset > a->size || !a->size || !b->size)
        return 0;
    struct input whole = *a;
    uint64_t size = b->offset - a->offset + b->size;
    if (whole.size < size) whole.size = size;
    whole.address = 0;
    forget_copies(&whole);
    if (b->count > a->count) whole.count = b->count, whole.digest = b->digest;
    struct input *made = find(&whole);
    return made ? node_of(made, node_own()) : 0;
}

/* ---- arguments and the environment ---- */

/* The strings as the kernel has put them, one behind the other, and what they were. */
static struct {
    uintptr_t begin, end;
    const char *copy;
    const uintptr_t *strings; /* where each begins, ascending */
    size_t count, arguments;
} start;

static size_t count_strings(char **strings) {
    size_t count = 0;
    while (strings[count]) count++;
    return count;
}

void given_start(char **arguments, char **environment) {
    size_t own = count_strings(arguments), others = count_strings(environment),
           count = own + others;
    if (!count || start.copy) return;
    const char *last = others ? environment[others - 1] : arguments[own - 1];
    uintptr_t begin = (uintptr_t)(own ? arguments[0] : environment[0]);
    uintptr_t end = (uintptr_t)last + wh_length(last) + 1;
    size_t table = count * sizeof(uintptr_t);
    uintptr_t room = end > begin ? os_map(wh_round_up(table + end - begin, OS_PAGE)) : 0;
    if (!room) return;
    uintptr_t *strings = (uintptr_t *)room;
    for (size_t i = 0; i < count; i++) {
        strings[i] = (uintptr_t)(i < own ? arguments[i] : environment[i - own]);
        if (strings[i] < begin || (i && strings[i] <= strings[i - 1])) {
            os_unmap(room, wh_round_up(table + end - begin, OS_PAGE));
            return; /* they are not those of the kernel */
        }
    }
    wh_copy((void *)(room + table), (const void *)begin, end - begin);
    start.copy = (const char *)(room + table);
    start.strings = strings;
    start.count = count;
    start.arguments = own;
    start.end = end;
    start.begin = begin;
}

/* The string of the start that an address is in. */
static size_t string_at(uintptr_t address) {
    size_t low = 0, high = start.count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (start.strings[middle] <= address)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A value of an argument or a variable, or with size 0 a pointer to it; without a source if there
 * is no room. */
static struct input initial_input(struct whence_origin_site *site, uintptr_t address,
                                  uint64_t size) {
    size_t index = string_at(address), length = 0;
    const char *text = start.copy + (start.strings[index] - start.begin);
    int is_variable = index >= start.arguments;
    while (is_variable && text[length] && text[length] != '=') length++;
    struct source wanted = {.kind = is_variable ? WH_INPUT_VARIABLE : WH_INPUT_ARGUMENT,
                            .number = is_variable ? index - start.arguments : index,
                            .state = ROW_BEGUN};
    return (struct input){.call = site,
                          .offset = address - start.strings[index],
                          .size = size,
                          .source = source_find(&wanted, -1, text, length)};
}

static uint32_t initial(struct whence_origin_site *site, uintptr_t address, uint64_t size) {
    struct input part = initial_input(site, address, size);
    struct input *made = part.source ? find(&part) : NULL;
    return made ? node_of(made, node_own()) : 0;
}

static int is_unchanged(uintptr_t address, uint64_t size) {
    return wh_same_bytes(address, (uintptr_t)start.copy + (address - start.begin), size);
}

uint32_t given_pointer(struct whence_origin_site *site, uint64_t value) {
    return value - start.begin < start.end - start.begin ? initial(site, value, 0) : 0;
}

uint32_t given_there(struct whence_origin_site *site, uintptr_t address, uint64_t size,
                     uint64_t value) {
    if (size == sizeof value && value - start.begin < start.end - start.begin)
        return initial(site, value, 0);
    if (address - start.begin < start.end - start.begin && size <= start.end - address)
        return is_unchanged(address, size) ? initial(site, address, size) : 0;
    struct input part = mapped_input(address, size);
    struct input *made = part.call && part.size == size ? find(&part) : NULL;
    return made ? node_of(made, node_own()) : 0;
}

/* Whether a range lies in one of the strings, with its final 0. */
static int is_in_one_string(uintptr_t address, uint64_t size) {
    if (address - start.begin >= start.end - start.begin) return 0;
    size_t next = string_at(address) + 1;
    return size <= (next < start.count ? start.strings[next] : start.end) - address;
}

uint64_t given_copied_there(struct whence_origin_site *site, uintptr_t to, uintptr_t from,
                            uint64_t size) {
    struct input whole = is_in_one_string(from, size) && is_unchanged(from, size)
                             ? initial_input(site, from, size)
                             : mapped_input(from, size);
    if (!whole.call) return 0;
    whole.address = ~to;
    whole.copy = site;
    whole.copies = 1;
    struct input *made = whole.source ? find(&whole) : NULL;
    if (!made) return 0;
    cells_set(site, node_of(made, NO_THREAD), to, whole.size);
    return whole.size;
}

/* ---- records ---- */

void given_describe(const struct whence_origin_site *site, struct text *into) {
    const struct input *input = input_of(site);
    const struct source *source = source_at(input->source);
    const struct os_identity *file = &source->identity;
    uint64_t count = source->ends.received ? input->count : 0;
    const uint64_t fields[] = {source->kind, source->number, input->offset,         input->size,
                               file->mode,   file->device,   source->ends.received, input->first,
                               count,        input->digest};
    text_put(into, "<");
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++) {
        text_decimal(into, fields[i]);
        text_put(into, "\t");
    }
    for (const char *c = source->name; *c; c++) {
        char plain = *c == '\t' || *c == '\n' ? ' ' : *c;
        text_put_n(into, &plain, 1);
    }
    text_put(into, "\n");
}
