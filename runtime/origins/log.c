#include "log.h"
#include "../blocks/block.h"
#include "../os/os.h"
#include "../settings/options.h"

#define MOST (1ul << 22)
#define BY_WORDS 4096u

static struct logged_write *writes;
static uint64_t count;

void log_init(void) {
    if (options.debug) writes = (struct logged_write *)os_map(MOST * sizeof *writes);
}

static void add(const struct logged_write *write) {
    if (!writes || !write->node) return;
    struct logged_write *to = &writes[__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED) % MOST];
    __atomic_store_n(&to->node, 0, __ATOMIC_RELEASE);
    to->address = write->address, to->size = write->size;
    to->value = write->value, to->whole = write->whole;
    to->clock = blocks_clock;
    __atomic_store_n(&to->node, write->node, __ATOMIC_RELEASE);
}

void log_value(uint64_t address, uint64_t size, uint64_t value, uint32_t node) {
    struct logged_write write = {
        .address = address, .size = size, .value = value, .node = node, .whole = 1};
    add(&write);
}

void log_range(uint64_t address, uint64_t size, uint32_t node) {
    struct logged_write write = {.address = address, .size = size, .node = node};
    add(&write);
}

int log_is_on(void) { return writes != NULL; }

int log_by_words(uint64_t size) { return writes && size <= BY_WORDS; }

const struct logged_write *log_find(uint64_t address, uint64_t size, uint64_t *before) {
    uint64_t number = *before ? *before - 1 : count;
    for (; writes && number > log_lost(); number--) {
        const struct logged_write *write = &writes[(number - 1) % MOST];
        if (!write->node || write->address >= address + size ||
            address >= write->address + write->size)
            continue;
        *before = number;
        return write;
    }
    return NULL;
}

uint64_t log_lost(void) { return count > MOST ? count - MOST : 0; }
