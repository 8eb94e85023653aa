/* Global variables of instrumented images as blocks of kind global.
 *
 * Code that the instrumentation adds to an image hands over the image's table of variables
 * (whence.abi.zones) before the image's first constructor, and withdraws it behind its last
 * destructor. The table is memory of the image's own: it is sorted where it stands, and the zones
 * around the variables are closed. Constructors and destructors of images run under the loader's
 * lock, one after the other; lookups take no lock. */
#include "room.h"
#include "../blocks/provider.h"

/* Variables of further images are no blocks. */
#define IMAGES_MOST 1024u

/* A number of a block: that of its image above these bits, and 1 + its place in the table. */
#define PLACE_BITS 28

typedef struct whence_global row;

/* high is 0 where no image stands, and written last. */
static struct image {
    uintptr_t low, high; /* all rooms */
    row *rows;           /* in the order of their rooms, which do not overlap */
    uint64_t count;
} images[IMAGES_MOST];
static uint32_t image_count;

static uintptr_t end_of(const row *each) { return room_end(each->variable, each->room); }

/* ---- lookup ---- */

/* The number of the variable in whose room the address lies; 0: none. */
static uint64_t around(uintptr_t address) {
    uint32_t most = __atomic_load_n(&image_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < most; i++) {
        const struct image *image = &images[i];
        if (address >= __atomic_load_n(&image->high, __ATOMIC_ACQUIRE) || address < image->low)
            continue;
        uint64_t low = 0, high = image->count;
        while (high - low > 1) {
            uint64_t middle = low + (high - low) / 2;
            if (image->rows[middle].room <= address)
                low = middle;
            else
                high = middle;
        }
        if (address < end_of(&image->rows[low])) return (uint64_t)i << PLACE_BITS | (low + 1);
    }
    return 0;
}

static int holds(uintptr_t address) { return around(address) != 0; }

static void describe(uint64_t number, struct block_facts *facts) {
    if (!number) return;
    const struct image *image = &images[number >> PLACE_BITS];
    const row *each = &image->rows[(number & ((1ull << PLACE_BITS) - 1)) - 1];
    facts->row.begin = each->address;
    facts->row.size = each->variable->size;
    facts->row.id = each->address;
    facts->row.state = WH_BLOCK_LIVE;
    facts->text = (const char *)(each->variable + 1);
}

#define PROVIDER(from, to)                                                                         \
    {                                                                                              \
        .begin = (from),                                                                           \
        .end = (to),                                                                               \
        .kind = WH_KIND_GLOBAL,                                                                    \
        .holds = holds,                                                                            \
        .around = around,                                                                          \
        .nearest = around,                                                                         \
        .read = describe,                                                                          \
    }

/* Images lie below the plane (at fixed addresses), below the heap, or above it. */
static const struct block_provider providers[] = {
    PROVIDER(WH_NULL_PAGE_SIZE, PLANE_BEGIN),
    PROVIDER(PLANE_END, WH_HEAP_BASE),
    PROVIDER(WH_HEAP_BASE + WH_HEAP_SIZE, ADDRESS_END),
};

static void provide(void) {
    static int begun;
    if (begun) return;
    begun = 1;
    for (size_t i = 0; i < sizeof providers / sizeof *providers; i++) blocks_provide(&providers[i]);
}

/* ---- tables of images ---- */

/* Where another image's variable has the name, this one's room is not what programs use. */
static uint64_t own_rows(row *rows, uint64_t size) {
    uint64_t kept = 0;
    for (uint64_t i = 0; i < size; i++)
        if (rows[i].variable && rows[i].address == rows[i].room + rows[i].variable->before &&
            kept < 1ull << PLACE_BITS)
            rows[kept++] = rows[i];
    return kept;
}

/* Shell's sort: linkers leave the rows nearly sorted. */
static void sort(row *rows, uint64_t size) {
    for (uint64_t gap = size / 2; gap; gap /= 2)
        for (uint64_t i = gap; i < size; i++) {
            row moved = rows[i];
            uint64_t at = i;
            for (; at >= gap && rows[at - gap].room > moved.room; at -= gap)
                rows[at] = rows[at - gap];
            rows[at] = moved;
        }
}

/* Most of the plane is untouched and stays so. */
static void open_range(uintptr_t begin, uint64_t size) {
    uint64_t whole = wh_round_down(size, WH_GRANULE);
    if (plane_first_bad(begin, whole) != begin + whole || whole < size) plane_open(begin, size);
}

static void close_zones(const row *each) {
    room_close_zones(each->variable, each->room);
    open_range(each->address, each->variable->size);
}

static struct image *image_of(const row *rows) {
    for (uint32_t i = 0; i < image_count; i++)
        if (images[i].high && images[i].rows == rows) return &images[i];
    return NULL;
}

static struct image *free_image(void) {
    for (uint32_t i = 0; i < image_count; i++)
        if (!images[i].high) return &images[i];
    if (image_count == IMAGES_MOST) return NULL;
    return &images[image_count];
}

WH_EXPORT void __whence_globals(row *rows, row *end) {
    struct image *image = image_of(rows) ? NULL : free_image();
    if (!image) return;
    uint64_t size = own_rows(rows, (uint64_t)(end - rows));
    if (!size) return;
    provide();
    sort(rows, size);
    for (uint64_t i = 0; i < size; i++) close_zones(&rows[i]);
    image->rows = rows;
    image->count = size;
    image->low = rows[0].room;
    __atomic_store_n(&image->high, end_of(&rows[size - 1]), __ATOMIC_RELEASE);
    if (image == &images[image_count])
        __atomic_store_n(&image_count, image_count + 1, __ATOMIC_RELEASE);
}

/* Tentative definitions have no zone before them. Those that the linker has replaced by a proper
 * definition, or by a larger one of another module, are dropped, and all but one of equal ones. */
WH_EXPORT void __whence_commons(row *rows, row *end) {
    if (image_of(rows)) return;
    uint64_t size = 0, kept = 0;
    for (const row *each = rows; each < end; each++) {
        uint64_t linked = each->room;
        uint64_t size_here = wh_round_up(each->variable->size, WH_GRANULE) + each->variable->after;
        if (linked != size_here + WHENCE_COMMON_MARK) continue;
        row found = *each;
        found.room = found.address;
        rows[size++] = found;
    }
    sort(rows, size);
    for (uint64_t i = 0; i < size; i++)
        if (!kept || rows[kept - 1].address != rows[i].address) rows[kept++] = rows[i];
    __whence_globals(rows, rows + kept);
}

WH_EXPORT void __whence_globals_end(row *rows) {
    struct image *image = image_of(rows);
    if (!image) return;
    __atomic_store_n(&image->high, 0, __ATOMIC_RELEASE);
    for (uint64_t i = 0; i < image->count; i++) {
        uint64_t size = end_of(&rows[i]) - rows[i].room;
        plane_set(rows[i].room, size, WH_STATE_ADDRESSABLE);
    }
}
