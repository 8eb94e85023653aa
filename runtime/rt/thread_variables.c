/* Thread-local variables of instrumented images as blocks of kind global.
 *
 * The images that are there at the start have theirs at a fixed distance below the thread pointer
 * of every thread (the static block of the ABI for thread-local storage, variant II). The first
 * constructor of such an image hands over its variables by their addresses in the main thread; the
 * zones around them are closed there, and in each thread that begins later. A thread that ends
 * opens them, because its memory may become anything. Libraries that are loaded later have theirs
 * elsewhere in each thread, if at all (late_variables.h). */
#include "thread_variables.h"
#include "late_variables.h"
#include "room.h"
#include "../blocks/provider.h"
#include "../include/whence/rules.h"

#include <link.h>
#include <pthread.h>

/* Further variables, and those of further threads that live at a time, are no blocks. */
#define VARIABLES_MOST 4096u
#define THREADS_MOST 16384u

/* A number of a block: that of its thread above these bits, and 1 + its place in the table. */
#define PLACE_BITS 16

static struct variable {
    const struct whence_variable *what;
    uint64_t below; /* from the begin of its room up to the thread pointer */
} variables[VARIABLES_MOST];
static uint32_t variable_count;

/* The bytes below a thread pointer that the images of the start take. */
static uint64_t reach;

/* Thread pointers; 0 where there is no thread. */
static uintptr_t threads[THREADS_MOST];
static uint32_t thread_count; /* of the rows that have been used */

/* In programs for glibc, pthread_self is the thread pointer. */
static uintptr_t thread_pointer(void) { return (uintptr_t)pthread_self(); }

/* ---- lookup ---- */

#define RANGE_BEGIN (WH_HEAP_BASE + WH_HEAP_SIZE)

static uint64_t around_in(uint32_t thread, uintptr_t address) {
    uintptr_t pointer = __atomic_load_n(&threads[thread], __ATOMIC_ACQUIRE);
    if (address >= pointer || pointer - address > reach) return 0;
    uint32_t most = __atomic_load_n(&variable_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < most; i++) {
        uintptr_t room = pointer - variables[i].below;
        if (address >= room && address < room_end(variables[i].what, room))
            return (uint64_t)thread << PLACE_BITS | (i + 1);
    }
    return 0;
}

static uint64_t around(uintptr_t address) {
    uint32_t most = __atomic_load_n(&thread_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < most; i++) {
        uint64_t found = around_in(i, address);
        if (found) return found;
    }
    return 0;
}

static int holds(uintptr_t address) { return around(address) != 0; }

static void describe(uint64_t number, struct block_facts *facts) {
    if (!number) return;
    uintptr_t pointer = __atomic_load_n(&threads[number >> PLACE_BITS], __ATOMIC_ACQUIRE);
    if (!pointer) return;
    const struct variable *each = &variables[(number & ((1u << PLACE_BITS) - 1)) - 1];
    facts->row.begin = pointer - each->below + each->what->before;
    facts->row.size = each->what->size;
    facts->row.id = facts->row.begin;
    facts->row.state = WH_BLOCK_LIVE;
    facts->text = (const char *)(each->what + 1);
}

static const struct block_provider provider = {
    .begin = RANGE_BEGIN,
    .end = ADDRESS_END,
    .kind = WH_KIND_GLOBAL,
    .holds = holds,
    .around = around,
    .nearest = around,
    .read = describe,
};

/* ---- zones ---- */

static void close_zones(const struct variable *each, uintptr_t pointer) {
    uintptr_t room = pointer - each->below;
    room_close_zones(each->what, room);
    plane_open(room + each->what->before, each->what->size);
}

static void open_zones(uintptr_t pointer) {
    for (uint32_t i = 0; i < variable_count; i++) {
        uintptr_t room = pointer - variables[i].below;
        plane_set(room, room_end(variables[i].what, room) - room, WH_STATE_ADDRESSABLE);
    }
}

/* Gives the calling thread a row, unless it has one; 0: there is none, or the program has placed
 * the thread's memory itself, perhaps in a block. */
static int has_row(uintptr_t pointer) {
    if (pointer < RANGE_BEGIN) return 0;
    for (uint32_t i = 0; i < thread_count; i++)
        if (threads[i] == pointer) return 1;
    for (uint32_t i = 0; i < THREADS_MOST; i++) {
        uintptr_t none = 0;
        if (!__atomic_compare_exchange_n(&threads[i], &none, pointer, 0, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
            continue;
        uint32_t used = __atomic_load_n(&thread_count, __ATOMIC_RELAXED);
        while (used <= i && !__atomic_compare_exchange_n(&thread_count, &used, i + 1, 0,
                                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        }
        return 1;
    }
    return 0;
}

/* ---- images ---- */

static int widen(struct dl_phdr_info *info, size_t size, void *pointer) {
    if (size < sizeof *info || !info->dlpi_tls_data) return 0;
    uintptr_t data = (uintptr_t)info->dlpi_tls_data, end = *(uintptr_t *)pointer;
    if (data < end && end - data > reach) reach = end - data;
    return 0;
}

void thread_variables_init(void) {
    uintptr_t pointer = thread_pointer();
    dl_iterate_phdr(widen, &pointer);
}

/* From the first constructor of an image of the start. */
static void static_variable(const struct whence_variable *what, uintptr_t room, uintptr_t pointer) {
    uint32_t place = variable_count;
    if (place == VARIABLES_MOST) return;
    if (place == 0) blocks_provide(&provider);
    if (!has_row(pointer)) return;
    variables[place] = (struct variable){what, pointer - room};
    close_zones(&variables[place], pointer);
    __atomic_store_n(&variable_count, place + 1, __ATOMIC_RELEASE);
}

static int in_static_block(uintptr_t room, uintptr_t pointer) {
    return room < pointer && pointer - room <= reach;
}

/* Marks the begin of the room, by which code sees that this thread's variable is known; 0: it was.
 * Memory that the loader gives a thread is without marks. */
static int mark(uintptr_t room) {
    uint64_t *first = (uint64_t *)room;
    int is_new = *first != room;
    *first = room;
    return is_new;
}

/* The address is that of the name; it is another one if another image or module defines it. */
WH_EXPORT void __whence_thread_variable(const struct whence_variable *what, uint64_t address,
                                        uint64_t room) {
    uintptr_t pointer = thread_pointer();
    int is_new = mark(room);
    if (address != room + what->before) return;
    if (in_static_block(room, pointer))
        static_variable(what, room, pointer);
    else if (is_new)
        late_variable(what, room);
}

WH_EXPORT void __whence_thread_variable_here(const struct whence_variable *what, uint64_t address,
                                             uint64_t room) {
    if (mark(room) && address == room + what->before && !in_static_block(room, thread_pointer()))
        late_variable(what, room);
}

/* ---- threads ---- */

static void begins(const struct new_thread *thread) {
    (void)thread;
    uint32_t most = __atomic_load_n(&variable_count, __ATOMIC_ACQUIRE);
    uintptr_t pointer = thread_pointer();
    if (!most || !has_row(pointer)) return;
    for (uint32_t i = 0; i < most; i++) close_zones(&variables[i], pointer);
}

static void forget(uint32_t thread) {
    uintptr_t pointer = threads[thread];
    __atomic_store_n(&threads[thread], 0, __ATOMIC_RELEASE);
    open_zones(pointer);
}

static void ends(void) {
    for (uint32_t i = 0; i < thread_count; i++)
        if (threads[i] == thread_pointer()) forget(i);
}

static void forked(void) {
    for (uint32_t i = 0; i < thread_count; i++)
        if (threads[i] && threads[i] != thread_pointer()) forget(i);
}

const struct observer thread_variables_observer = {
    .always = 1,
    .begins = begins,
    .ends = ends,
    .forked = forked,
};
