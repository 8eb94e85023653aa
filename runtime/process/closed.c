#include "closed.h"
#include "images.h"
#include "thread.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../settings/options.h"

#include <link.h>

/* The same image comes back where it was once so many of its places are held. */
#define HELD_OF_ONE 16u
/* Places of all images that are held: each takes address space. */
#define HELD_MOST 1024u

#define PARTS_MOST 8u

/* What the segments of an image held; some linkers put constants beside code. */
struct copy {
    uintptr_t count;
    struct part {
        uintptr_t offset, size; /* from the image's begin */
        const uint8_t *bytes;
    } parts[PARTS_MOST];
};

enum state { LOADED, GONE, HELD };

/* Where an image is or was. */
struct place {
    struct place *up;
    uintptr_t low, high;
    uint64_t name;           /* a digest of its path */
    const struct copy *copy; /* NULL: the image is not instrumented */
    enum state state;
    int seen;
};

static struct place *places;
static struct os_lock lock;
static uint32_t closing; /* calls of dlclose that go on */
static uint32_t held;

void closed_lock(void) { os_lock(&lock); }

void closed_unlock(void) { os_unlock(&lock); }

/* ---- what an image holds ---- */

/* Pages that the program has closed read as zero. */
static const uint8_t *bytes_of(uintptr_t begin, uintptr_t size) {
    uint8_t *bytes = rt_private(size);
    for (uintptr_t done = 0; bytes && done < size;) {
        uintptr_t left = OS_PAGE - (begin + done) % OS_PAGE;
        if (left > size - done) left = size - done;
        os_copy(bytes + done, begin + done, left);
        done += left;
    }
    return bytes;
}

static const struct copy *copy_of(const struct dl_phdr_info *info, uintptr_t low) {
    struct copy *copy = rt_private(sizeof *copy);
    for (unsigned i = 0; copy && i < info->dlpi_phnum && copy->count < PARTS_MOST; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || !header->p_filesz) continue;
        uintptr_t begin = info->dlpi_addr + header->p_vaddr;
        struct part part = {begin - low, header->p_filesz, bytes_of(begin, header->p_filesz)};
        if (part.bytes) copy->parts[copy->count++] = part;
    }
    return copy;
}

static const void *copied(const struct place *place, uintptr_t address) {
    uintptr_t offset = address - place->low;
    for (uintptr_t i = 0; place->copy && i < place->copy->count; i++) {
        const struct part *part = &place->copy->parts[i];
        if (offset - part->offset < part->size) return part->bytes + (offset - part->offset);
    }
    return NULL;
}

/* ---- the images that are loaded ---- */

static struct place bounds_of(const struct dl_phdr_info *info) {
    struct place place = {.low = UINTPTR_MAX};
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD) continue;
        uintptr_t begin = wh_round_down(info->dlpi_addr + header->p_vaddr, OS_PAGE);
        uintptr_t end = wh_round_up(info->dlpi_addr + header->p_vaddr + header->p_memsz, OS_PAGE);
        if (begin < place.low) place.low = begin;
        if (end > place.high) place.high = end;
    }
    const char *name = info->dlpi_name ? info->dlpi_name : "";
    place.name = wh_digest(WH_DIGEST_OF_NOTHING, name, wh_length(name));
    return place;
}

static int is_same_image(const struct place *a, const struct place *b) {
    return a->name == b->name && a->high - a->low == b->high - b->low;
}

static struct place *known_place(const struct place *wanted) {
    for (struct place *place = places; place; place = place->up)
        if (place->low == wanted->low && is_same_image(place, wanted)) return place;
    return NULL;
}

static const struct copy *known_copy(const struct place *wanted) {
    for (const struct place *place = places; place; place = place->up)
        if (place->copy && is_same_image(place, wanted)) return place->copy;
    return NULL;
}

static int note(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    struct place found = bounds_of(info);
    if (found.low >= found.high || !images_came_later(found.low)) return 0;
    struct place *place = known_place(&found);
    if (place) {
        place->state = LOADED;
        return 0;
    }
    if (!(place = rt_private(sizeof *place))) return 0;
    found.up = places;
    found.copy = known_copy(&found);
    if (!found.copy && images_hold(found.low)) found.copy = copy_of(info, found.low);
    *place = found;
    __atomic_store_n(&places, place, __ATOMIC_RELEASE);
    return 0;
}

void closed_begin(void) {
    os_lock(&lock);
    dl_iterate_phdr(note, NULL);
    closing++;
    os_unlock(&lock);
}

/* ---- the images that are gone ---- */

static int see(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    struct place found = bounds_of(info), *place = known_place(&found);
    if (place) place->seen = 1;
    return 0;
}

static uint32_t held_of(const struct place *wanted) {
    uint32_t count = 0;
    for (const struct place *place = places; place; place = place->up)
        count += place->state == HELD && is_same_image(place, wanted);
    return count;
}

/* Another thread may have mapped something there: then whoever asks looks. A path of an exploration
 * goes back to its begin, and its mappings with it. */
static int hold(const struct place *place) {
    if (options.explore || held >= HELD_MOST || held_of(place) >= HELD_OF_ONE) return 0;
    if (os_reserve(place->low, place->high - place->low, OS_NONE) < 0) return 0;
    held++;
    return 1;
}

void closed_end(void) {
    os_lock(&lock);
    for (struct place *place = places; place; place = place->up) place->seen = 0;
    dl_iterate_phdr(see, NULL);
    for (struct place *place = places; place; place = place->up)
        if (place->state == LOADED && !place->seen) place->state = hold(place) ? HELD : GONE;
    closing--;
    os_unlock(&lock);
}

/* ---- pointers ---- */

static int covers(struct dl_phdr_info *info, size_t size, void *pointer) {
    (void)size;
    struct place there = bounds_of(info);
    return (uintptr_t)pointer >= there.low && (uintptr_t)pointer < there.high;
}

static int is_loaded(const struct place *place, const void *pointer) {
    if (place->state == HELD) return 0;
    if (place->state == LOADED && !__atomic_load_n(&closing, __ATOMIC_ACQUIRE)) return 1;
    return dl_iterate_phdr(covers, (void *)(uintptr_t)pointer);
}

const void *closed_kept(const void *pointer) {
    uintptr_t address = (uintptr_t)pointer;
    for (const struct place *place = __atomic_load_n(&places, __ATOMIC_ACQUIRE); place;
         place = place->up)
        if (address - place->low < place->high - place->low)
            return is_loaded(place, pointer) ? pointer : copied(place, address);
    return pointer;
}
