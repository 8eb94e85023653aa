#include "described.h"
#include "../os/mem.h"
#include "../os/os.h"

static struct described *table;
static uint64_t capacity, used; /* entries from `used` on were never in use */
static uint64_t lowest;         /* no entry before it is free */
static struct os_lock lock;

void described_lock(void) { os_lock(&lock); }

void described_unlock(void) { os_unlock(&lock); }

#define FIRST_CAPACITY 32u

static int grow(void) {
    return os_enlarge((void **)&table, sizeof *table, used, &capacity, FIRST_CAPACITY);
}

static struct described *free_entry(void) {
    while (lowest < used && table[lowest].size) lowest++;
    if (lowest == used && used == capacity && !grow()) return NULL;
    if (lowest == used) used++;
    return &table[lowest];
}

int64_t described_add(uintptr_t begin, uint64_t size, const char *text, uint32_t stack) {
    os_lock(&lock);
    struct described *entry = free_entry();
    int64_t number = entry ? entry - table : -1;
    if (entry) {
        *entry = (struct described){.begin = begin, .size = size, .stack = stack};
        while (entry->length < DESCRIPTION_MOST && text[entry->length]) {
            entry->text[entry->length] = text[entry->length];
            entry->length++;
        }
    }
    os_unlock(&lock);
    return number;
}

int described_remove(uint64_t number) {
    os_lock(&lock);
    int known = number < used && table[number].size;
    if (known) {
        table[number].size = 0;
        if (number < lowest) lowest = number;
    }
    os_unlock(&lock);
    return known;
}

struct described described_at(uintptr_t address) {
    struct described found = {0};
    os_lock(&lock);
    for (uint64_t i = 0; i < used; i++) {
        const struct described *entry = &table[i];
        if (address - entry->begin < entry->size && (!found.size || entry->size < found.size))
            found = *entry;
    }
    os_unlock(&lock);
    return found;
}
