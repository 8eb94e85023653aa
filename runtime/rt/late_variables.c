/* Each thread gets its own such variables from the loader's memory when it first uses one. A
 * library's constructor is such a use, in the thread that loads it, and its code tells of a
 * variable before it uses it in another thread. So they are blocks, of kind global. Memory that the
 * loader frees is opened (alloc/loader.c), so a room whose zones are no longer closed is none. */
#include "late_variables.h"
#include "room.h"
#include "../alloc/loader.h"
#include "../blocks/provider.h"
#include "../include/whence/rules.h"
#include "../os/os.h"

/* Further variables are no blocks. */
#define VARIABLES_MOST 4096u

/* The description is part of the library, and gone with it. */
static struct variable {
    const struct whence_variable *what;
    uintptr_t room, begin, end; /* end: NONE, or BUSY while the row is written */
    uint64_t size;
} variables[VARIABLES_MOST];
static uint32_t variable_count;

#define NONE 0u
#define BUSY 1u

static int is_there(const struct variable *each) {
    return __atomic_load_n(&each->end, __ATOMIC_ACQUIRE) > BUSY &&
           *plane_state(each->room) == WH_STATE_GLOBAL_RED_ZONE;
}

static uint64_t around(uintptr_t address) {
    uint32_t most = __atomic_load_n(&variable_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < most; i++)
        if (address >= variables[i].room && address < variables[i].end && is_there(&variables[i]))
            return i + 1;
    return 0;
}

static int holds(uintptr_t address) { return around(address) != 0; }

/* Something else may lie where the library was. */
static int is_described(const struct variable *each) {
    return os_readable((uintptr_t)each->what) && os_readable((uintptr_t)(each->what + 1)) &&
           each->what->size == each->size && each->what->before == each->begin - each->room;
}

static void describe(uint64_t number, struct block_facts *facts) {
    if (!number) return;
    const struct variable *each = &variables[number - 1];
    facts->row.begin = each->begin;
    facts->row.size = each->size;
    facts->row.id = each->begin;
    facts->row.state = WH_BLOCK_LIVE;
    if (is_described(each)) facts->text = (const char *)(each->what + 1);
}

static const struct block_provider provider = {
    .begin = WH_LOADER_BASE,
    .end = WH_LOADER_BASE + WH_LOADER_SIZE,
    .kind = WH_KIND_GLOBAL,
    .holds = holds,
    .around = around,
    .nearest = around,
    .read = describe,
};

/* The loader has given the memory to another library since. */
static void forget(uintptr_t from, uintptr_t to) {
    uint32_t most = __atomic_load_n(&variable_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < most; i++) {
        uintptr_t end = __atomic_load_n(&variables[i].end, __ATOMIC_ACQUIRE);
        if (end > from && variables[i].room < to)
            __atomic_compare_exchange_n(&variables[i].end, &end, NONE, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED);
    }
}

/* A row that is new, or of memory that the loader has freed, for the caller alone. NULL: there is
 * none. */
static struct variable *take_row(void) {
    for (uint32_t i = 0; i < VARIABLES_MOST; i++) {
        struct variable *each = &variables[i];
        uintptr_t end = __atomic_load_n(&each->end, __ATOMIC_ACQUIRE);
        if (end != BUSY && !is_there(each) &&
            __atomic_compare_exchange_n(&each->end, &end, BUSY, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            return each;
    }
    return NULL;
}

static void count(uint32_t rows) {
    uint32_t before = __atomic_load_n(&variable_count, __ATOMIC_RELAXED);
    while (before < rows && !__atomic_compare_exchange_n(&variable_count, &before, rows, 0,
                                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    }
}

/* The first call is that of a library's constructor, under the loader's lock. */
static void provide(void) {
    static int provided;
    if (!__atomic_exchange_n(&provided, 1, __ATOMIC_ACQ_REL)) blocks_provide(&provider);
}

void late_variable(const struct whence_variable *what, uintptr_t room) {
    if (room - WH_LOADER_BASE >= WH_LOADER_SIZE) return;
    uintptr_t begin = room + what->before, end = room_end(what, room);
    provide();
    forget(room, end);
    struct variable *row = take_row();
    if (!row) return;
    row->what = what;
    row->room = room;
    row->begin = begin;
    row->size = what->size;
    room_close_zones(what, room);
    plane_open(begin, what->size);
    __atomic_store_n(&row->end, end, __ATOMIC_RELEASE);
    count((uint32_t)(row - variables) + 1);
}
