#include "sources.h"
#include "../os/mem.h"
#include "../os/text.h"
#include "index.h"

#include <sys/stat.h>

#define MOST_SOURCES 4096u
/* How far from the place of its hash a source may stand. */
#define MOST_PROBED 64u

/* What is not known any more of how many bytes were read, and more than that. */
#define LOST_COUNT (1ull << 63)

static struct source sources[MOST_SOURCES];

struct source *source_at(uint32_t number) { return &sources[number - 1]; }

static int is_source(const struct source *known, const struct source *wanted) {
    return known->kind == wanted->kind && known->number == wanted->number &&
           known->identity.device == wanted->identity.device &&
           known->identity.number == wanted->identity.number &&
           known->identity.born == wanted->identity.born;
}

/* A file without places, by whatever descriptor. */
#define ANY_DESCRIPTOR UINT64_MAX

/* What takes system calls to know of a file, once for each. */
static void describe_file(struct source *source, int file) {
    source->ends = (struct os_ends){source->identity.number, source->identity.number};
    if (S_ISSOCK(source->identity.mode)) source->ends = os_ends(file, source->identity.number);
    if (source->number == ANY_DESCRIPTOR) return;
    TEXT(path, 40);
    text_descriptor(&path, source->number);
    os_read_link(path.begin, source->name, SOURCE_NAME - 1);
}

/* No lock: a signal handler may interrupt this and do the same, and then a source may be there
 * twice. */
uint32_t source_find(const struct source *wanted, int file, const char *name, size_t length) {
    uint64_t hash = index_mixed(index_mixed(wanted->kind, wanted->number), wanted->identity.number);
    for (uint32_t i = 0; i < MOST_PROBED; i++) {
        uint32_t number = (uint32_t)((hash >> 32) + i) % MOST_SOURCES;
        struct source *at = &sources[number];
        uint32_t state = __atomic_load_n(&at->state, __ATOMIC_ACQUIRE);
        if (state == ROW_KNOWN && is_source(at, wanted)) return number + 1;
        if (state != ROW_FREE || !__atomic_compare_exchange_n(&at->state, &state, ROW_BEGUN, 0,
                                                              __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            continue;
        *at = *wanted;
        if (wanted->kind == WH_INPUT_DESCRIPTOR)
            describe_file(at, file);
        else
            wh_copy(at->name, name, length < SOURCE_NAME ? length : SOURCE_NAME - 1);
        __atomic_store_n(&at->state, ROW_KNOWN, __ATOMIC_RELEASE);
        return number + 1;
    }
    return 0;
}

uint32_t source_of_file(int file, const struct os_identity *identity) {
    struct source wanted = {.kind = WH_INPUT_DESCRIPTOR,
                            .number = (uint64_t)file,
                            .identity = *identity,
                            .state = ROW_BEGUN};
    return source_find(&wanted, file, NULL, 0);
}

static uint32_t find_descriptor(int file) {
    struct os_identity identity;
    return os_identify(file, &identity) ? 0 : source_of_file(file, &identity);
}

static uint32_t find_channel(int file, const struct os_identity *identity) {
    struct source wanted = {.kind = WH_INPUT_DESCRIPTOR,
                            .number = ANY_DESCRIPTOR,
                            .identity = *identity,
                            .digest = WH_DIGEST_OF_NOTHING,
                            .state = ROW_BEGUN};
    return source_find(&wanted, file, NULL, 0);
}

static int is_open_to_others(uint32_t mode) {
    return S_ISFIFO(mode) || S_ISREG(mode) || S_ISSOCK(mode);
}

int source_sent(int file, uint64_t place, uint64_t size, struct source_place *to) {
    struct os_identity identity;
    if (os_identify(file, &identity) || !is_open_to_others(identity.mode)) return 0;
    *to = (struct source_place){identity.device, identity.number, place};
    if (place != WH_INPUT_NOWHERE) return 1;
    int64_t end = os_place(file);
    if (end >= 0) {
        to->offset = (uint64_t)end - size;
        return (uint64_t)end >= size;
    }
    uint32_t channel = find_channel(file, &identity);
    if (!channel) return 0;
    to->number = source_at(channel)->ends.sent;
    to->offset = __atomic_fetch_add(&source_at(channel)->given, size, __ATOMIC_RELAXED);
    return to->number != 0;
}

struct input_bytes source_read(int file, uint64_t place, uint64_t size) {
    struct input_bytes bytes = {.source = find_descriptor(file), .offset = place, .size = size};
    if (!bytes.source || place != WH_INPUT_NOWHERE) return bytes;
    int64_t end = os_place(file);
    if (end >= 0) {
        if ((uint64_t)end >= size) bytes.offset = (uint64_t)end - size;
        return bytes;
    }
    bytes.channel = find_channel(file, &source_at(bytes.source)->identity);
    if (!bytes.channel) return bytes;
    uint64_t taken = __atomic_fetch_add(&source_at(bytes.channel)->taken, size, __ATOMIC_RELAXED);
    if (taken < LOST_COUNT) bytes.offset = taken;
    return bytes;
}

static struct source *channel_of(int file) {
    struct os_identity identity;
    uint32_t channel =
        os_place(file) < 0 && !os_identify(file, &identity) ? find_channel(file, &identity) : 0;
    return channel ? source_at(channel) : NULL;
}

void source_lose_count(int file) {
    struct source *channel = channel_of(file);
    if (channel) __atomic_fetch_or(&channel->taken, LOST_COUNT, __ATOMIC_RELAXED);
}

void source_count(int file, int64_t size) {
    struct source *channel = channel_of(file);
    if (channel) __atomic_fetch_add(&channel->taken, (uint64_t)size, __ATOMIC_RELAXED);
}
