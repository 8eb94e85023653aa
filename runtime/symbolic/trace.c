#include "trace.h"
#include "covered.h"
#include "sites.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../process/images.h"

static WH_WRITTEN struct wh_trace_header *header;
static WH_WRITTEN struct os_lock lock;
static __thread int holds;

static WH_WRITTEN struct wh_trace_header *mapped;

int trace_map(int file) {
    int done = os_map_shared(WH_SYMBOLIC_TRACE_BASE, file, WH_TRACE_SIZE, 0) == 0;
    mapped = done ? (struct wh_trace_header *)WH_SYMBOLIC_TRACE_BASE : NULL;
    return done;
}

void trace_forget(void) {
    if (mapped) mapped->magic = 0;
}

void trace_open(void) {
    if (!(header = mapped)) return;
    header->version = WH_TRACE_VERSION;
    header->full = header->ended = 0;
    header->capacity = WH_TRACE_SIZE;
    header->used = WH_TRACE_HEADER_SIZE;
    __atomic_store_n(&header->magic, WH_TRACE_MAGIC, __ATOMIC_RELEASE);
}

int trace_is_open(void) { return header != NULL; }

int trace_lock(void) {
    if (!header || holds) return 0;
    holds = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    os_lock(&lock);
    return 1;
}

void trace_unlock(void) {
    os_unlock(&lock);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    holds = 0;
}

/* Room for the last record is always left. */
#define END_SIZE (2 * sizeof(uint64_t))

static uint64_t *place(uint64_t words, uint64_t spared) {
    uint64_t used = header->used, size = words * sizeof(uint64_t);
    if (used + size + spared > header->capacity) return NULL;
    return (uint64_t *)((uintptr_t)header + used);
}

static void complete(uint64_t words) {
    __atomic_store_n(&header->used, header->used + words * sizeof(uint64_t), __ATOMIC_RELEASE);
}

static uint64_t head_of(unsigned kind, unsigned op, unsigned width, uint32_t id) {
    return (uint64_t)kind << WH_TRACE_KIND_SHIFT | (uint64_t)op << WH_TRACE_OPERATOR_SHIFT |
           (uint64_t)width << WH_TRACE_WIDTH_SHIFT | (uint64_t)id << WH_TRACE_ID_SHIFT;
}

static void put_end(unsigned how, uint64_t status) {
    uint64_t *at = __atomic_exchange_n(&header->ended, 1, __ATOMIC_ACQ_REL) ? NULL : place(2, 0);
    if (!at) return;
    at[0] = head_of(WH_TRACE_END, how, 0, 0);
    at[1] = status;
    complete(2);
}

static _Noreturn void give_up(void) {
    header->full = 1;
    put_end(WH_END_FULL, 0);
    os_exit(0);
}

const char *trace_put_text(unsigned kind, uint32_t id, unsigned count, const uint64_t *operands,
                           const char *text, size_t length) {
    uint64_t words = 1 + count + (length + 7) / 8;
    uint64_t *at = place(words, END_SIZE);
    if (!at) give_up();
    if (length) at[words - 1] = 0;
    at[0] = head_of(kind, 0, 0, id);
    for (unsigned i = 0; i < count; i++) at[1 + i] = operands[i];
    wh_copy(at + 1 + count, text, length);
    complete(words);
    return (const char *)(at + 1 + count);
}

void trace_put(unsigned kind, unsigned op, unsigned width, uint32_t id, unsigned count,
               const uint64_t *operands) {
    uint64_t *at = place(1 + count, END_SIZE);
    if (!at) give_up();
    at[0] = head_of(kind, op, width, id);
    for (unsigned i = 0; i < count; i++) at[1 + i] = operands[i];
    complete(1 + count);
}

void trace_end(unsigned how, uint64_t status) {
    if (header) put_end(how, status);
}

void trace_end_of_child(unsigned how, uint64_t status) {
    header = mapped;
    if (header && header->magic == WH_TRACE_MAGIC) put_end(how, status);
    header = NULL;
}

uint32_t trace_new_site(uint64_t pc, uint64_t line, int *is_new) {
    uint32_t number = sites_number(pc, is_new);
    if (*is_new) {
        uint64_t address = pc, image = images_place(&address);
        image |= (uint64_t)covered_number(line) << 32;
        trace_put(WH_TRACE_SITE, 0, 0, number, 2, (uint64_t[]){image, address});
    }
    return number;
}

uint32_t trace_site(uint64_t pc) {
    int is_new;
    return trace_new_site(pc, 0, &is_new);
}
