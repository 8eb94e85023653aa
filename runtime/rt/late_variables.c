/* Each thread gets its own such variables from the loader's memory when it first uses one, and the
 * library's constructor, which the thread runs that loads it, is such a use. So there they are
 * blocks, of kind global. Other threads get theirs without that code of this library runs. Memory
 * that the loader frees is opened (alloc/loader.c), so a room whose zones are no longer closed is
 * none. */
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
    uintptr_t room, begin, end; /* end: 0 while the row is written */
    uint64_t size;
} variables[VARIABLES_MOST];
static uint32_t variable_count;

static int is_there(const struct variable *each) {
    return __atomic_load_n(&each->end, __ATOMIC_ACQUIRE) &&
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

static void describe(uint64_t number, struct block_facts *facts) {
    if (!number) return;
    const struct variable *each = &variables[number - 1];
    facts->row.begin = each->begin;
    facts->row.size = each->size;
    facts->row.id = each->begin;
    facts->row.state = WH_BLOCK_LIVE;
    if (os_readable((uintptr_t)each->what)) facts->text = (const char *)(each->what + 1);
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

/* A row that is free: new, or of memory that the loader has freed. NULL: there is none. */
static struct variable *new_row(void) {
    for (uint32_t i = 0; i < variable_count; i++)
        if (!is_there(&variables[i])) return &variables[i];
    return variable_count < VARIABLES_MOST ? &variables[variable_count] : NULL;
}

/* Constructors of libraries run one at a time, under the loader's lock. */
void late_variable(const struct whence_variable *what, uintptr_t room) {
    if (room - WH_LOADER_BASE >= WH_LOADER_SIZE) return;
    struct variable *row = new_row();
    if (!row) return;
    if (!variable_count) blocks_provide(&provider);
    uintptr_t begin = room + what->before;
    __atomic_store_n(&row->end, 0, __ATOMIC_RELEASE);
    room_close_zones(what, room);
    plane_open(begin, what->size);
    *row = (struct variable){what, room, begin, 0, what->size};
    __atomic_store_n(&row->end, room_end(what, room), __ATOMIC_RELEASE);
    if (row == &variables[variable_count])
        __atomic_store_n(&variable_count, variable_count + 1, __ATOMIC_RELEASE);
}
