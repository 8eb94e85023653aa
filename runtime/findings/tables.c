#include "tables.h"
#include "rules.h"
#include "../planes/observed.h"
#include "../os/text.h"
#include "../planes/planes.h"
#include "../process/thread.h"
#include "../settings/options.h"
#include "../definedness/ranges.h"

enum need { ALWAYS, CHECKS, PLANES, VALUES, ORIGINS, SYMBOLIC, LABELS, RACES };

static int is_there(enum need need) {
    switch (need) {
    case CHECKS: return PORT_CHECKS;
    case PLANES: return PORT_PLANES;
    case VALUES: return VALUES_ON;
    case ORIGINS: return PORT_PLANES && options.origins;
    case LABELS: return PORT_PLANES && rules_current && rules_current->label_count;
    case RACES: return PORT_PLANES && event_watched(WH_POINT_SHARE);
    case SYMBOLIC: return PORT_PLANES && (options.symbolic || options.fuzz);
    default: return 1;
    }
}

/* In the order of their addresses. */
static const struct table tables[] = {
    {"state plane", PLANE_BEGIN, PLANE_END, PLANES},
    {"block table", WH_META_BASE, WH_META_BASE + WH_META_SIZE, ALWAYS},
#if PORT_OBSERVED
    {"plane of undefined bits", OBSERVED_LOW_BITS, OBSERVED_LOW_BITS + WH_OBSERVED_VALUES_LOW,
     VALUES},
    {"plane of undefined bits", OBSERVED_HIGH_BITS, OBSERVED_HIGH_BITS + OBSERVED_HIGH_SIZE,
     VALUES},
    {"plane of undefined bits", OBSERVED_LAST_BITS, OBSERVED_LAST_BITS + OBSERVED_LAST_SIZE,
     VALUES},
    {"origins of undefined bits", OBSERVED_LOW_TAGS, OBSERVED_LOW_TAGS + WH_OBSERVED_VALUES_LOW / 2,
     VALUES},
    {"origins of undefined bits", OBSERVED_HIGH_TAGS, OBSERVED_HIGH_TAGS + OBSERVED_HIGH_SIZE / 2,
     VALUES},
#else
    {"definedness plane", WH_DEFINED_OFFSET, WH_DEFINED_OFFSET + (PLANE_END - PLANE_BEGIN), VALUES},
    {"definedness plane", WH_DETAILS_BASE, WH_DETAILS_BASE + WH_DETAILS_SIZE, VALUES},
#endif
    {"stack depot", WH_DEPOT_BASE, WH_DEPOT_BASE + WH_DEPOT_SIZE, CHECKS},
    {"runtime", WH_PRIVATE_BASE, WH_PRIVATE_BASE + WH_PRIVATE_SIZE, CHECKS},
    {"loader", WH_LOADER_BASE, WH_LOADER_BASE + WH_LOADER_SIZE, ALWAYS},
    {"origins of values", WH_ORIGIN_TABLE_BASE, WH_ORIGIN_BITS_BASE + WH_ORIGIN_BITS_SIZE, ORIGINS},
    {"symbolic values", WH_SYMBOLIC_TABLE_BASE, WH_SYMBOLIC_CHUNKS_BASE + WH_SYMBOLIC_CHUNKS_SIZE,
     SYMBOLIC},
    {"labels", WH_LABELS_TABLE_BASE, WH_LABELS_CHUNKS_BASE + WH_LABELS_CHUNKS_SIZE, LABELS},
    {"accesses by threads", WH_RACES_TABLE_BASE, WH_RACES_CHUNKS_BASE + WH_RACES_CHUNKS_SIZE,
     RACES},
};

static int has(const struct table *table, uintptr_t begin, uintptr_t end) {
    return begin < table->end && end > table->begin && is_there(table->need);
}

const struct table *tables_at(uintptr_t begin, uint64_t size) {
    if (begin >= ADDRESS_END) return NULL;
    uintptr_t end = size > ADDRESS_END - begin ? ADDRESS_END : begin + size;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (has(&tables[i], begin, end)) return &tables[i];
    return NULL;
}

int tables_hold_ours(uintptr_t begin, uintptr_t end) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (tables[i].begin != WH_LOADER_BASE && has(&tables[i], begin, end)) return 1;
    return 0;
}

/* What is free at any time: between the state plane and the block table. */
static void put_way_out(struct text *message) {
    text_put(message, "let it choose addresses between ");
    text_hex(message, wh_round_up(PLANE_END, 1ull << 32));
    text_put(message, " and ");
    text_hex(message, WH_META_BASE);
}

_Noreturn void tables_refuse(const struct table *table, uintptr_t begin) {
    TEXT(message, 512);
    text_put(&message, "the program maps memory at ");
    text_hex(&message, begin);
    text_put(&message, " (MAP_FIXED), where whence's tables lie (");
    text_put(&message, table->name);
    text_put(&message, ", ");
    text_hex(&message, table->begin);
    text_put(&message, "-");
    text_hex(&message, table->end);
    text_put(&message, "), and so cannot be checked: ");
    put_way_out(&message);
    port_give_up(&message);
}

void tables_kept(uintptr_t begin, uint64_t size) {
    static int noted;
    const struct table *table = tables_at(begin, size);
    if (!PORT_CHECKS || !table) return;
    TEXT(message, 256);
    text_put(&message, "the program asked for memory at ");
    text_hex(&message, begin);
    text_put(&message, " and did not get it, because whence's tables lie there: ");
    put_way_out(&message);
    text_put_n(&message, "", 1);
    rt_note(&noted, message.begin);
}
