#include "later.h"
#include "loading.h"
#include "../include/whence/values.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../os/text.h"
#include "../os/dynamic.h"
#include "../process/images.h"
#include "../process/service.h"
#include "../process/thread.h"
#include "../port/port.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <sys/syscall.h>

#define IMAGES_MOST 1024u

/* Tables of modules, each of an image: pointers to what its modules have of their late twins. */
static struct {
    struct whence_later *const *begin, *const *end;
} tables[IMAGES_MOST];
static unsigned count;

/* Of the tables and of the libraries, never held while the loader is called: that has a lock of its
 * own, under which constructors come here. */
static struct os_lock lock;

void later_lock(void) { os_lock(&lock); }

void later_unlock(void) { os_unlock(&lock); }

/* ---- a late library ---- */

static const void *symbol(const struct dynamic *library, const char *name) {
    const ElfW(Sym) *found = dynamic_symbol(library, name, STT_OBJECT);
    return found ? (const void *)(library->base + found->st_value) : NULL;
}

/* The place in a module's table that a symbol names; SIZE_MAX for none. */
static size_t place_of(const char *name) {
    static const char begin[] = WH_LATER_TABLE_NAME;
    for (size_t i = 0; i < sizeof begin - 1; i++)
        if (*name++ != begin[i]) return SIZE_MAX;
    size_t place = 0;
    for (; *name >= '0' && *name <= '9'; name++) place = place * 10 + (size_t)(*name - '0');
    return place;
}

static void relocate(const struct dynamic *library, const struct whence_later *module,
                     const ElfW(Rela) * relocations, uint64_t size) {
    for (uint64_t i = 0; i < size / sizeof *relocations; i++) {
        const ElfW(Rela) *each = &relocations[i];
        const ElfW(Sym) *named = &library->symbols[ELF64_R_SYM(each->r_info)];
        size_t place = place_of(library->strings + named->st_name);
        if (place >= module->names) continue;
        int has_addend = ELF64_R_TYPE(each->r_info) == R_X86_64_64;
        uintptr_t value = module->table[place] + (has_addend ? (uintptr_t)each->r_addend : 0);
        *(uintptr_t *)(library->base + each->r_offset) = value;
    }
}

static struct whence_cell *cells_of(const struct whence_later *module) {
    return (struct whence_cell *)(uintptr_t)(module + 1);
}

static int is_filled(const struct whence_cell *cell) {
    return (uintptr_t)__atomic_load_n(&cell->twin, __ATOMIC_ACQUIRE) > WH_LATER_REFUSED;
}

/* Fills the cells whose twins a library has. */
static void take(const struct whence_later *module, const struct link_map *map) {
    struct dynamic library;
    dynamic_read(map->l_ld, map->l_addr, &library);
    relocate(&library, module, library.relocations, library.relocations_size);
    relocate(&library, module, library.jumps, library.jumps_size);
    const struct whence_made *made = symbol(&library, WH_LATER_MADE);
    const uint64_t *rows = symbol(&library, WH_LATER_COUNT);
    for (uint64_t i = 0; made && rows && i < *rows; i++) {
        struct whence_cell *cell = &cells_of(module)[made[i].number];
        if (made[i].number < module->cells && !is_filled(cell))
            __atomic_store_n(&cell->twin, made[i].twin, __ATOMIC_RELEASE);
    }
}

/* ---- asking ---- */

static int may_ask(void) {
    static const long needed[] = {SYS_socket,   SYS_connect, SYS_sendto,    SYS_recvfrom,
                                  SYS_openat,   SYS_read,    SYS_mmap,      SYS_close,
                                  SYS_mprotect, SYS_munmap,  SYS_newfstatat};
    if (!service_known()) return 0;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!os_may(needed[i])) return 0;
    return 1;
}

/* Libraries that were loaded, and the module of each: the loader makes one instance of a file. */
#define LIBRARIES_MOST 4096u
static struct {
    const void *handle;
    const struct whence_later *module;
} libraries[LIBRARIES_MOST];
static unsigned library_count;

enum loading { ABSENT, TAKEN, OTHERS };

static enum loading take_once(const struct whence_later *module, const struct link_map *map) {
    unsigned i = 0;
    while (i < library_count && libraries[i].handle != map) i++;
    if (i < library_count && libraries[i].module != module) return OTHERS;
    if (i == LIBRARIES_MOST) return ABSENT;
    libraries[i].handle = map;
    libraries[i].module = module;
    if (i == library_count) library_count++;
    take(module, map);
    return TAKEN;
}

static enum loading load(const struct whence_later *module, const char *path) {
    images_opening();
    const struct link_map *map = dlopen_next(path, RTLD_NOW | RTLD_LOCAL);
    if (!map) return ABSENT;
    os_lock(&lock);
    enum loading found = take_once(module, map);
    os_unlock(&lock);
    return found;
}

/* The library that an earlier run asked for, which the launcher need not be asked for again. */
static void load_known(const struct whence_later *module, const char *which) {
    TEXT(path, 512);
    size_t length;
    const char *folder = service_folder(&length);
    text_put_n(&path, folder, length);
    text_put(&path, WH_LATER_FOLDER "/");
    text_put(&path, module->key);
    text_put(&path, "-");
    text_put(&path, which);
    text_put_n(&path, "", 1);
    if (path.length == path.capacity) return;
    int file = os_open(path.begin, OS_OPEN_READ);
    if (file < 0) return;
    os_close(file);
    load(module, path.begin);
}

static enum loading request(const struct whence_later *module, const char *which, int copy) {
    uintptr_t room = os_map(WH_SERVICE_ROOM);
    if (!room) return ABSENT;
    struct service_talk talk;
    TEXT(place, 32);
    text_decimal(&place, (uintptr_t)module);
    text_put_n(&place, "", 1);
    service_begin(&talk, (char *)room, WH_ASK_TWINS);
    service_say(&talk, module->key);
    service_say(&talk, which);
    service_say(&talk, copy ? place.begin : "");
    const char *path = service_try(&talk) ? service_next(&talk) : NULL;
    enum loading found = path && *path ? load(module, path) : ABSENT;
    os_unmap(room, WH_SERVICE_ROOM);
    return found;
}

static void ask(const struct whence_later *module, const char *which) {
    if (request(module, which, 0) == OTHERS) request(module, which, 1);
}

#define SIGNAL(number) (1ull << ((number) - 1))
#define FAULTS                                                                                     \
    (SIGNAL(SIGSEGV) | SIGNAL(SIGBUS) | SIGNAL(SIGILL) | SIGNAL(SIGFPE) | SIGNAL(SIGTRAP) |        \
     SIGNAL(SIGSYS))

/* No handler runs in the middle: it might jump away, or need a twin itself. */
static uint64_t begin(void) {
    uint64_t before = 0;
    os_block_signals(~FAULTS, &before);
    return before;
}

/* Nobody is asked for it again. */
static void refuse(struct whence_cell *cell) {
    static int noted;
    void *empty = NULL, *refused = (void *)(uintptr_t)WH_LATER_REFUSED;
    __atomic_compare_exchange_n(&cell->twin, &empty, refused, 0, __ATOMIC_ACQ_REL,
                                __ATOMIC_ACQUIRE);
    rt_note(&noted, "undefined values were not followed in some functions: the careful version of "
                    "a function could not be had, because whence could not be asked for it");
}

/* A signal handler has interrupted the dynamic linker while its lists change. */
static int is_loading(void) { return _r_debug.r_state != RT_CONSISTENT; }

WH_EXPORT uint64_t __whence_value_later(struct whence_cell *cell) {
    if (is_loading()) return 0;
    int saved = errno;
    struct whence_later *module = (struct whence_later *)(uintptr_t)(cell - cell->number) - 1;
    TEXT(which, 32);
    text_decimal(&which, cell->number);
    text_put_n(&which, "", 1);
    if (may_ask()) {
        uint64_t signals = begin();
        load_known(module, which.begin);
        if (!is_filled(cell)) ask(module, which.begin);
        os_restore_signals(signals);
    }
    int there = is_filled(cell);
    if (!there) refuse(cell);
    errno = saved;
    return (uint64_t)there;
}

static uint64_t lacks(const struct whence_later *module) {
    uint64_t lacking = 0;
    for (uint64_t i = 0; i < module->cells; i++) lacking += !is_filled(&cells_of(module)[i]);
    return lacking;
}

/* What a program waits for that is about to become another user: some seconds. Of more, those that
 * it comes to later, if whence can no longer be asked, are left out, with a note. */
#define FETCHED_MOST 500u

static int are_few(void) {
    uint64_t all = 0;
    os_lock(&lock);
    for (unsigned table = 0; table < count; table++)
        for (struct whence_later *const *row = tables[table].begin; row < tables[table].end; row++)
            all += lacks(*row);
    os_unlock(&lock);
    return all <= FETCHED_MOST;
}

/* The module of a table's row, NULL if it lacks nothing or there is none; *more: whether there is a
 * row. */
static const struct whence_later *lacking(unsigned table, size_t row, int *more) {
    os_lock(&lock);
    struct whence_later *const *place = table < count ? tables[table].begin + row : NULL;
    *more = place && place < tables[table].end;
    const struct whence_later *module = *more ? *place : NULL;
    if (module && !lacks(module)) module = NULL;
    os_unlock(&lock);
    return module;
}

void later_fetch_all(void) {
    int saved = errno;
    if (are_few() && may_ask()) {
        uint64_t signals = begin();
        for (unsigned table = 0; table < count; table++) {
            int more = 1;
            for (size_t row = 0; more; row++) {
                const struct whence_later *module = lacking(table, row, &more);
                if (module) ask(module, WH_LATER_ALL);
            }
        }
        os_restore_signals(signals);
    }
    errno = saved;
}

/* ---- the tables of images ---- */

WH_EXPORT void __whence_later(struct whence_later *const *begins,
                              struct whence_later *const *ends) {
    os_lock(&lock);
    unsigned i = 0;
    while (i < count && tables[i].begin != begins) i++;
    if (i < IMAGES_MOST) {
        tables[i].begin = begins;
        tables[i].end = ends;
        if (i == count) count++;
    }
    os_unlock(&lock);
}

WH_EXPORT void __whence_later_end(struct whence_later *const *begins) {
    os_lock(&lock);
    for (unsigned i = 0; i < count; i++)
        if (tables[i].begin == begins) tables[i] = tables[--count];
    os_unlock(&lock);
}
