/* Valgrind's client requests. The instruction sequence that valgrind/valgrind.h puts into a program
 * does nothing; instrumentation replaces it by a call of the runtime. The numbers are Valgrind's
 * stable interface. */
#include "../labels/births.h"
#include "chunks.h"
#include "requests.h"
#include "poison.h"
#include "../findings/described.h"
#include "../leak/leak.h"
#include "../rt/event.h"
#include "../os/os.h"
#include "../os/text.h"
#include "../rt/access.h"
#include "../rt/ignored.h"
#include "../rt/uses.h"
#include "../definedness/contents.h"
#include "../definedness/origin.h"

#include <stdarg.h>
#include <stdio.h>

enum {
    RUNNING_ON_VALGRIND = 0x1001,
    CLIENT_CALL0 = 0x1101,
    CLIENT_CALL3 = 0x1104,
    COUNT_ERRORS = 0x1201,
    MALLOCLIKE_BLOCK = 0x1301,
    FREELIKE_BLOCK,
    CREATE_MEMPOOL,
    DESTROY_MEMPOOL,
    MEMPOOL_ALLOC,
    MEMPOOL_FREE,
    MEMPOOL_TRIM,
    MOVE_MEMPOOL,
    MEMPOOL_CHANGE,
    MEMPOOL_EXISTS,
    RESIZEINPLACE_BLOCK,
    PRINTF_BY_REFERENCE = 0x1403,
    PRINTF_BACKTRACE_BY_REFERENCE,
    CHANGE_ERRORS = 0x1801,
    MEMCHECK = 'M' << 24 | 'C' << 16,
    MAKE_NOACCESS = MEMCHECK,
    MAKE_UNDEFINED,
    MAKE_DEFINED,
    DISCARD,
    CHECK_ADDRESSABLE,
    CHECK_DEFINED,
    DO_LEAK_CHECK,
    COUNT_LEAKS,
    GET_VBITS,
    SET_VBITS,
    CREATE_BLOCK,
    MAKE_DEFINED_IF_ADDRESSABLE,
    COUNT_LEAK_BLOCKS,
    ENABLE_IN_RANGE,
    DISABLE_IN_RANGE,
};

struct request {
    const uint64_t *arguments; /* from the first one behind the number on */
    const struct frame *frame;
};

typedef uint64_t handler(const struct request *request);

/* ---- memory ---- */

#define DONE UINT64_MAX /* the result under Valgrind */

static uint64_t close_memory(const struct request *request) {
    poison_close(request->arguments[0], request->arguments[1]);
    return DONE;
}

static uint64_t open_memory(const struct request *request) {
    poison_open(request->arguments[0], request->arguments[1]);
    return DONE;
}

/* Whether the program may access all bytes. The definedness of memory that is not mapped is not
 * kept. */
static int is_accessible(uintptr_t begin, uint64_t size) {
    return poison_accessible(begin, size) == size;
}

#define UNDEFINED "VALGRIND_MAKE_MEM_UNDEFINED"

static uint64_t make_defined(const struct request *request) {
    uintptr_t begin = request->arguments[0];
    open_memory(request);
    labels_unmarked(UNDEFINED, begin, poison_accessible(begin, request->arguments[1]));
    if (VALUES_ON) __whence_value_define(begin, poison_accessible(begin, request->arguments[1]));
    return DONE;
}

/* The accessible bytes only; the others stay as they are. */
static uint64_t make_accessible_defined(const struct request *request) {
    uintptr_t begin = request->arguments[0], end = begin + request->arguments[1];
    while (begin < end) {
        uint64_t accessible = poison_accessible(begin, end - begin);
        if (accessible && VALUES_ON) __whence_value_define(begin, accessible);
        if (accessible) labels_unmarked(UNDEFINED, begin, accessible);
        begin = poison_past(begin + accessible);
    }
    return DONE;
}

/* What the memory holds stays: the program may have a use for it. Of a large range only the begin
 * is undefined, as in blocks. */
static void undefine(const struct request *request, uintptr_t begin, uint64_t size) {
    if (!VALUES_ON || !is_accessible(begin, size)) return;
    contents_limited(size);
    values_forget(begin, size < CONTENTS_MOST ? size : CONTENTS_MOST,
                  origin_of_stack(port_stack(thread_here(), request->frame)));
}

static uint64_t make_undefined(const struct request *request) {
    uintptr_t begin = request->arguments[0];
    uint64_t size = request->arguments[1];
    open_memory(request);
    if (!is_accessible(begin, size) || !labels_marked(UNDEFINED, request->frame, begin, size))
        undefine(request, begin, size);
    return DONE;
}

/* Checks the range as an access would be, and says how many of its first bytes are accessible. */
static uint64_t check_accessible(const struct request *request) {
    uintptr_t begin = request->arguments[0];
    uint64_t size = request->arguments[1], accessible = poison_accessible(begin, size);
    if (accessible < size) access_check_request(begin, size, "client request", request->frame);
    return accessible;
}

/* The address of the first bad byte; 0: none. */
static uint64_t check_memory(const struct request *request) {
    uint64_t accessible = check_accessible(request);
    return accessible < request->arguments[1] ? request->arguments[0] + accessible : 0;
}

/* The same, and that all bytes before the first one that is not accessible are defined. */
static uint64_t check_values(const struct request *request) {
    uintptr_t begin = request->arguments[0];
    uint64_t accessible = check_accessible(request);
    uintptr_t end = begin + accessible, first = VALUES_ON ? values_first(begin, accessible) : end;
    if (first == end) return accessible < request->arguments[1] ? end : 0;
    use_memory(begin, accessible, first, "client request", request->frame);
    return first;
}

/* Copying undefined bits: its results under Valgrind. */
enum { BITS_COPIED = 1, BITS_INACCESSIBLE = 3 };

/* Nothing is copied unless both ranges are accessible as a whole. */
static int both_accessible(const struct request *request) {
    const uint64_t *a = request->arguments; /* address, a byte of bits for each byte, size */
    return is_accessible(a[0], a[2]) && is_accessible(a[1], a[2]);
}

static uint64_t get_bits(const struct request *request) {
    const uint64_t *a = request->arguments;
    if (!both_accessible(request)) return BITS_INACCESSIBLE;
    for (uint64_t i = 0; i < a[2]; i++) {
        ((uint8_t *)a[1])[i] = VALUES_ON ? (uint8_t)__whence_value_load(a[0] + i, 1).bits : 0;
        if (VALUES_ON) __whence_value_define(a[1] + i, 1); /* it may lie in the same granule */
    }
    return BITS_COPIED;
}

static uint64_t set_bits(const struct request *request) {
    const uint64_t *a = request->arguments;
    if (!both_accessible(request)) return BITS_INACCESSIBLE;
    if (!VALUES_ON) return BITS_COPIED;
    uint64_t origin = origin_of_stack(port_stack(thread_here(), request->frame));
    for (uint64_t i = 0; i < a[2]; i++) {
        uint8_t bits = ((const uint8_t *)a[1])[i];
        __whence_value_store(a[0] + i, 1, bits, bits ? origin : 0);
    }
    return BITS_COPIED;
}

/* ---- descriptions ---- */

/* The number of the description, or -1. */
static uint64_t describe(const struct request *request) {
    const uint64_t *a = request->arguments; /* address, size, text */
    if (!a[0] || !a[1]) return UINT64_MAX;
    const char *text = os_readable_word(a[2]) ? (const char *)a[2] : "";
    uint32_t stack = port_stack(thread_here(), request->frame);
    return (uint64_t)described_add(a[0], a[1], text, stack);
}

/* 1 if there is no description with the number, which is the second argument; else 0. */
static uint64_t discard(const struct request *request) {
    return !described_remove(request->arguments[1]);
}

/* ---- blocks of the program's own allocators ---- */

/* Pseudo pools: of blocks that belong to none, and of the pools themselves. The size of a pool as a
 * chunk is twice its red zone, and one more if its memory is zeroed. */
#define NO_POOL 0u
#define POOLS UINT64_MAX

/* Flags of VALGRIND_CREATE_MEMPOOL_EXT. The second: what the pool hands out holds blocks that
 * belong to none, which are given back with it where the first one is set. */
enum { POOL_FREES = 1, POOL_OF_POOLS = 2 };

static void hand_out(const struct request *request, struct chunk chunk) {
    static int lost;
    struct thread *thread = thread_here();
    chunk.id = chunks_find(POOLS, chunk.pool).flags & POOL_OF_POOLS ? 0 : blocks_tick();
    chunk.stack = port_stack(thread, request->frame);
    chunk.thread = thread->number;
    poison_open(chunk.begin, chunk.size);
    if (!chunks_add(chunk))
        rt_note(&lost, "no memory to note what the program's own allocator hands out: accesses to "
                       "what it takes back may be missed");
}

static int is_inside(struct chunk *chunk, void *data) {
    const struct chunk *outer = data;
    return chunk->begin - outer->begin < outer->size;
}

static void take_back(struct chunk chunk) {
    if (!chunk.begin) return;
    poison_close(chunk.begin, chunk.size);
    if (chunk.pool != NO_POOL && chunks_find(POOLS, chunk.pool).flags & POOL_FREES)
        chunks_each(NO_POOL, is_inside, &chunk);
}

/* What was never handed out, or was given back before. */
static void report_free(const struct request *request, uintptr_t address, const char *name) {
    if (!address || !event_watched(WH_POINT_FREE)) return;
    struct context context =
        context_about(WH_POINT_FREE, address, 0, block_nearest(address), request->frame);
    context.library = name;
    event_evaluate(&context);
}

static void close_zones(uintptr_t begin, uint64_t size, uint64_t zone) {
    poison_close(begin - zone, zone);
    poison_close(begin + size, zone);
}

/* What handed out memory holds. */
static void set_contents(const struct request *request, uintptr_t begin, uint64_t size,
                         uint64_t zeroed) {
    if (!zeroed)
        undefine(request, begin, size);
    else if (VALUES_ON)
        __whence_value_define(begin, poison_accessible(begin, size));
}

static uint64_t malloc_like(const struct request *request) {
    const uint64_t *a = request->arguments; /* address, size, red zone, is it zeroed */
    chunks_lock();
    close_zones(a[0], a[1], a[2]);
    hand_out(request, (struct chunk){.begin = a[0], .size = a[1], .pool = NO_POOL});
    set_contents(request, a[0], a[1], a[3]);
    chunks_unlock();
    return 0;
}

static uint64_t free_like(const struct request *request) {
    uintptr_t address = request->arguments[0];
    chunks_lock();
    struct chunk chunk = chunks_remove(NO_POOL, address);
    take_back(chunk);
    chunks_unlock();
    if (!chunk.begin) report_free(request, address, "VALGRIND_FREELIKE_BLOCK");
    return 0;
}

static uint64_t resize_in_place(const struct request *request) {
    const uint64_t *a = request->arguments; /* address, old size, new size, red zone */
    chunks_lock();
    struct chunk chunk = chunks_remove(NO_POOL, a[0]);
    if (chunk.begin) {
        take_back(chunk);
        close_zones(a[0], a[2], a[3]);
        hand_out(request, (struct chunk){.begin = a[0], .size = a[2], .pool = NO_POOL});
        if (a[2] > a[1]) set_contents(request, a[0] + a[1], a[2] - a[1], 0);
    }
    chunks_unlock();
    if (!chunk.begin) report_free(request, a[0], "VALGRIND_RESIZEINPLACE_BLOCK");
    return 0;
}

static uint64_t create_pool(const struct request *request) {
    const uint64_t *a = request->arguments; /* pool, red zone, is it zeroed, flags */
    chunks_lock();
    chunks_add((struct chunk){
        .begin = a[0], .size = a[1] << 1 | (a[2] != 0), .pool = POOLS, .flags = (uint32_t)a[3]});
    chunks_unlock();
    return 0;
}

static uint64_t pool_alloc(const struct request *request) {
    const uint64_t *a = request->arguments; /* pool, address, size */
    chunks_lock();
    struct chunk pool = chunks_find(POOLS, a[0]);
    close_zones(a[1], a[2], pool.size >> 1);
    hand_out(request, (struct chunk){.begin = a[1], .size = a[2], .pool = a[0]});
    if (pool.begin) set_contents(request, a[1], a[2], pool.size & 1);
    chunks_unlock();
    return 0;
}

static uint64_t pool_free(const struct request *request) {
    const uint64_t *a = request->arguments; /* pool, address */
    chunks_lock();
    struct chunk chunk = chunks_remove(a[0], a[1]);
    take_back(chunk);
    chunks_unlock();
    if (!chunk.begin) report_free(request, a[1], "VALGRIND_MEMPOOL_FREE");
    return 0;
}

static uint64_t pool_change(const struct request *request) {
    const uint64_t *a = request->arguments; /* pool, old address, new address, size */
    chunks_lock();
    take_back(chunks_remove(a[0], a[1]));
    hand_out(request, (struct chunk){.begin = a[2], .size = a[3], .pool = a[0]});
    chunks_unlock();
    return 0;
}

static int drop(struct chunk *chunk, void *data) {
    (void)data;
    take_back(*chunk);
    return 1;
}

static uint64_t destroy_pool(const struct request *request) {
    chunks_lock();
    chunks_each(request->arguments[0], drop, NULL);
    chunks_remove(POOLS, request->arguments[0]);
    chunks_unlock();
    return 0;
}

/* Keeps only the part of a chunk that lies in a range. */
static int trim(struct chunk *chunk, void *data) {
    const uint64_t *range = data; /* begin, size */
    uintptr_t begin = chunk->begin, end = begin + chunk->size, range_end = range[0] + range[1];
    uintptr_t from = begin > range[0] ? begin : range[0], to = end < range_end ? end : range_end;
    if (from >= to) return drop(chunk, NULL);
    poison_close(begin, from - begin);
    poison_close(to, end - to);
    chunk->size = to - begin;
    return 0;
}

static uint64_t trim_pool(const struct request *request) {
    uint64_t range[] = {request->arguments[1], request->arguments[2]};
    chunks_lock();
    chunks_each(request->arguments[0], trim, range);
    chunks_unlock();
    return 0;
}

static int rename_pool(struct chunk *chunk, void *data) {
    chunk->pool = *(const uint64_t *)data;
    return 0;
}

static uint64_t move_pool(const struct request *request) {
    uint64_t to = request->arguments[1];
    chunks_lock();
    struct chunk pool = chunks_remove(POOLS, request->arguments[0]);
    if (pool.begin)
        chunks_add(
            (struct chunk){.begin = to, .size = pool.size, .pool = POOLS, .flags = pool.flags});
    chunks_each(request->arguments[0], rename_pool, &to);
    chunks_unlock();
    return 0;
}

static int found(struct chunk *chunk, void *data) {
    (void)chunk;
    *(uint64_t *)data = 1;
    return 0;
}

/* A pool whose creation was not seen exists while it has a chunk. */
static uint64_t pool_exists(const struct request *request) {
    chunks_lock();
    uint64_t any = chunks_find(POOLS, request->arguments[0]).begin != 0;
    chunks_each(request->arguments[0], found, &any);
    chunks_unlock();
    return any;
}

/* ---- leaks and errors ---- */

static uint64_t look_for_leaks(const struct request *request) {
    struct context context = {0};
    context.frame = request->frame;
    event_leak_check(&context, WH_CHECK_REQUEST);
    return 0;
}

static void count_leaks(const struct request *request, const uint64_t *first) {
    enum { BETWEEN = 2 }; /* fields alternate: blocks, bytes */
    const uint64_t counts[] = {first[0] + first[BETWEEN], first[2 * BETWEEN], first[3 * BETWEEN],
                               first[4 * BETWEEN]};
    for (int i = 0; i < 4; i++) *(uint64_t *)request->arguments[i] = counts[i];
}

static uint64_t count_leaked_bytes(const struct request *request) {
    count_leaks(request, &leak_last.definite_bytes);
    return 0;
}

static uint64_t count_leaked_blocks(const struct request *request) {
    count_leaks(request, &leak_last.definite_blocks);
    return 0;
}

static uint64_t count_errors(const struct request *request) {
    (void)request;
    return finding_count();
}

/* Disables the rules for this thread (1), or enables them again (-1). */
static uint64_t change_errors(const struct request *request) {
    struct thread *thread = thread_here();
    int64_t change = (int64_t)request->arguments[0];
    if (change > 0)
        thread->silent++;
    else if (thread->silent)
        thread->silent--;
    return 0;
}

/* Accesses in a range of addresses are not reported any more, or are again. 0: it is empty. */
static uint64_t disable_in_range(const struct request *request) {
    ignored_add(request->arguments[0], request->arguments[1]);
    return request->arguments[1] != 0;
}

static uint64_t enable_in_range(const struct request *request) {
    ignored_remove(request->arguments[0], request->arguments[1]);
    return request->arguments[1] != 0;
}

/* ---- the rest ---- */

static uint64_t yes(const struct request *request) {
    (void)request;
    return 1;
}

#define LINE_MOST 1024u

/* Prints each line after the number of the process, as Valgrind does. */
static uint64_t print(const struct request *request) {
    char line[LINE_MOST];
    va_list arguments;
    TEXT(text, LINE_MOST + 32);
    va_copy(arguments, *(va_list *)request->arguments[1]);
    int length = vsnprintf(line, sizeof line, (const char *)request->arguments[0], arguments);
    va_end(arguments);
    if (length < 0) return 0;
    text_put(&text, "**");
    text_decimal(&text, os_process());
    text_put(&text, "** ");
    text_put_n(&text, line, wh_length(line));
    os_complain(text.begin, text.length);
    return (uint64_t)length;
}

/* Valgrind runs such a function on the real processor, on which all code runs here. */
typedef uint64_t function(uint64_t thread, uint64_t a, uint64_t b, uint64_t c);

static uint64_t call(const struct request *request) {
    const uint64_t *a = request->arguments;
    return ((function *)a[0])(thread_here()->number + 1ull, a[1], a[2], a[3]);
}

static handler *handler_of(uint64_t number) {
    if (number >= CLIENT_CALL0 && number <= CLIENT_CALL3) return call;
    switch (number) {
    case RUNNING_ON_VALGRIND: return yes;
    case COUNT_ERRORS: return count_errors;
    case MALLOCLIKE_BLOCK: return malloc_like;
    case FREELIKE_BLOCK: return free_like;
    case RESIZEINPLACE_BLOCK: return resize_in_place;
    case CREATE_MEMPOOL: return create_pool;
    case DESTROY_MEMPOOL: return destroy_pool;
    case MEMPOOL_ALLOC: return pool_alloc;
    case MEMPOOL_FREE: return pool_free;
    case MEMPOOL_TRIM: return trim_pool;
    case MOVE_MEMPOOL: return move_pool;
    case MEMPOOL_CHANGE: return pool_change;
    case MEMPOOL_EXISTS: return pool_exists;
    case PRINTF_BY_REFERENCE:
    case PRINTF_BACKTRACE_BY_REFERENCE: return print;
    case CHANGE_ERRORS: return change_errors;
    case MAKE_NOACCESS: return close_memory;
    case MAKE_UNDEFINED: return make_undefined;
    case MAKE_DEFINED: return make_defined;
    case MAKE_DEFINED_IF_ADDRESSABLE: return make_accessible_defined;
    case CREATE_BLOCK: return describe;
    case DISCARD: return discard;
    case GET_VBITS: return get_bits;
    case SET_VBITS: return set_bits;
    case CHECK_ADDRESSABLE: return check_memory;
    case CHECK_DEFINED: return check_values;
    case DO_LEAK_CHECK: return look_for_leaks;
    case COUNT_LEAKS: return count_leaked_bytes;
    case COUNT_LEAK_BLOCKS: return count_leaked_blocks;
    case ENABLE_IN_RANGE: return enable_in_range;
    case DISABLE_IN_RANGE: return disable_in_range;
    default: return NULL;
    }
}

WH_EXPORT uint64_t __whence_client_request(const uint64_t *words, uint64_t otherwise) {
    return request_answer(words, otherwise, FRAME_HERE);
}

uint64_t request_answer(const uint64_t *words, uint64_t otherwise, const struct frame *frame) {
    struct request request = {words + 1, frame};
    handler *handle = handler_of(words[0]);
    thread_here();
    return handle ? handle(&request) : otherwise;
}
