#include "store.h"
#include "../os/os.h"
#include "../process/thread.h"

#define GRANULE 16u

struct item {
    struct item *next;
};

static struct {
    struct item *free;
    uint8_t *uncut, *end;
} sizes[STORE_MOST / GRANULE + 1];

static unsigned granules(uint64_t size) { return (unsigned)((size + GRANULE - 1) / GRANULE); }

void *store_take(uint64_t size) {
    unsigned count = granules(size), bytes = count * GRANULE;
    struct item *item = sizes[count].free;
    if (item) {
        sizes[count].free = item->next;
        return item;
    }
    if ((size_t)(sizes[count].end - sizes[count].uncut) < bytes) {
        uint8_t *page = rt_private(OS_PAGE);
        if (!page) return NULL;
        sizes[count].uncut = page;
        sizes[count].end = page + OS_PAGE;
    }
    void *cut = sizes[count].uncut;
    sizes[count].uncut += bytes;
    return cut;
}

void store_give(void *item, uint64_t size) {
    unsigned count = granules(size);
    ((struct item *)item)->next = sizes[count].free;
    sizes[count].free = item;
}
