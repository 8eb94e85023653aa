#include "images.h"
#include "../os/dynamic.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../os/text.h"
#include "../port/port.h"

#include <elf.h>
#include <link.h>

#define IMAGES_MOST 4096u

static struct image {
    uintptr_t begin, end; /* of its code */
    uintptr_t low, high;  /* of all that is loaded */
    uintptr_t moved;      /* from where it was linked */
    enum image_kind kind;
} images[IMAGES_MOST];
static uint32_t image_count;
static uint32_t first_count; /* of those that were there at the start */
static int main_instrumented, any_instrumented;
static char main_path[4096]; /* the loader knows all names but this one */

int images_is_system(const char *path, size_t length) {
    static const char *const names[] = {
        "libc.so", "libc-",     "ld-linux", "ld-2.",    "libpthread", "libdl.",
        "libdl-",  "libstdc++", "libc++",   "libgcc_s", "libresolv",  "librt.",
    };
    size_t name = length;
    while (name > 0 && path[name - 1] != '/') name--;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t at = 0;
        while (names[i][at] && name + at < length && path[name + at] == names[i][at]) at++;
        if (!names[i][at]) return 1;
    }
    return 0;
}

/* ---- one image ---- */

static enum image_kind kind_of(const struct dl_phdr_info *info) {
    struct dynamic dynamic;
    dynamic_of(info, &dynamic);
    if (dynamic_needs(&dynamic, PORT_LIBRARY)) return IMAGE_INSTRUMENTED;
    size_t length = info->dlpi_name ? wh_length(info->dlpi_name) : 0;
    size_t own = sizeof PORT_LIBRARY - 1;
    if (length >= own && wh_same(info->dlpi_name + length - own, PORT_LIBRARY)) return IMAGE_SYSTEM;
    if (images_is_system(info->dlpi_name, length)) return IMAGE_SYSTEM;
    if (!PORT_OBSERVED) return IMAGE_OTHER;
    int detects = dynamic_symbol(&dynamic, "__whence_register", STT_FUNC) != NULL;
    return detects ? IMAGE_SYSTEM : IMAGE_INSTRUMENTED;
}

static void keep(struct image fresh) {
    for (uint32_t i = 0; i < image_count; i++)
        if (images[i].begin == fresh.begin && images[i].end == fresh.end) {
            images[i] = fresh;
            return;
        }
    if (image_count < IMAGES_MOST) images[image_count++] = fresh;
}

static int look(struct dl_phdr_info *info, size_t size, void *first) {
    (void)size;
    struct image image = {UINTPTR_MAX, 0, UINTPTR_MAX, 0, info->dlpi_addr, IMAGE_OTHER};
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + header->p_vaddr, end = begin + header->p_memsz;
        if (header->p_type != PT_LOAD) continue;
        if (begin < image.low) image.low = begin;
        if (end > image.high) image.high = end;
        if (!(header->p_flags & PF_X)) continue;
        if (begin < image.begin) image.begin = begin;
        if (end > image.end) image.end = end;
    }
    image.kind = kind_of(info);
    if (*(int *)first) main_instrumented = image.kind == IMAGE_INSTRUMENTED;
    *(int *)first = 0;
    if (image.kind == IMAGE_INSTRUMENTED) any_instrumented = 1;
    if (image.begin < image.end) keep(image);
    return 0;
}

/* ---- all of them ---- */

static uint32_t version;

uint32_t images_version(void) { return __atomic_load_n(&version, __ATOMIC_RELAXED); }

/* The loader lets one thread at a time look, so the table needs no lock. */
void images_refresh(void) {
    int first = 1;
    if (!*main_path) os_read_link("/proc/self/exe", main_path, sizeof main_path - 1);
    dl_iterate_phdr(look, &first);
    if (!first_count) first_count = image_count;
    __atomic_fetch_add(&version, 1, __ATOMIC_RELEASE);
}

/* A call of dlopen is not over when the runtime is told of it: so many times, what lies in no known
 * image is looked up anew. */
#define LOOKS 16u
static uint32_t looks;

void images_opening(void) { __atomic_store_n(&looks, LOOKS, __ATOMIC_RELAXED); }

static int look_again(void) {
    uint32_t left = __atomic_load_n(&looks, __ATOMIC_RELAXED);
    if (!left) return 0;
    __atomic_store_n(&looks, left - 1, __ATOMIC_RELAXED);
    images_refresh();
    return 1;
}

/* ---- in the form of /proc/self/maps ---- */

static void put_address(struct text *text, uintptr_t address) {
    for (int shift = 44; shift >= 0; shift -= 4)
        text_put_n(text, &"0123456789abcdef"[(address >> shift) & 15], 1);
}

/* begin-end r-xp offset 00:00 0 path */
static void put_segment(struct text *text, const struct dl_phdr_info *info,
                        const ElfW(Phdr) * header, const char *path) {
    uintptr_t begin = wh_round_down(info->dlpi_addr + header->p_vaddr, OS_PAGE);
    put_address(text, begin);
    text_put(text, "-");
    put_address(text, wh_round_up(info->dlpi_addr + header->p_vaddr + header->p_memsz, OS_PAGE));
    text_put(text, " r-xp ");
    put_address(text, wh_round_down(header->p_offset, OS_PAGE));
    text_put(text, " 00:00 0 ");
    text_put(text, path);
    text_put(text, "\n");
}

static int put_image(struct dl_phdr_info *info, size_t size, void *into) {
    (void)size;
    struct text *text = into;
    const char *path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : main_path;
    for (unsigned i = 0; i < info->dlpi_phnum && *path == '/'; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && header->p_flags & PF_X)
            put_segment(text, info, header, path);
    }
    return 0;
}

size_t images_list(char *begin, size_t size) {
    struct text text = {begin, size, 0};
    dl_iterate_phdr(put_image, &text);
    return text.length;
}

/* ---- kinds ---- */

/* The image that was seen last is the one that is there now. */
static const struct image *image_of(uint64_t pc) {
    for (uint32_t i = image_count; i-- > 0;)
        if (pc >= images[i].begin && pc < images[i].end) return &images[i];
    return NULL;
}

enum image_kind images_kind(uint64_t pc) {
    const struct image *image = image_of(pc);
    return image ? image->kind : IMAGE_OTHER;
}

/* The program is the first image, and is never unloaded. */
int images_has_checks(uint64_t pc) {
    if (image_count && pc - images[0].begin < images[0].end - images[0].begin)
        return images[0].kind == IMAGE_INSTRUMENTED;
    const struct image *image = image_of(pc);
    if (!image && look_again()) image = image_of(pc);
    return image && image->kind == IMAGE_INSTRUMENTED;
}

uint32_t images_place(uint64_t *pc) {
    for (uint32_t i = image_count; i-- > 0;)
        if (*pc >= images[i].begin && *pc < images[i].end) {
            *pc -= images[i].moved;
            return i;
        }
    return UINT32_MAX;
}

static const struct image *image_around(uint64_t address, uint32_t first) {
    for (uint32_t i = image_count; i-- > first;)
        if (address - images[i].low < images[i].high - images[i].low) return &images[i];
    return NULL;
}

int images_hold(uint64_t address) {
    const struct image *image = image_around(address, 0);
    if (!image && look_again()) image = image_around(address, 0);
    return image && image->kind == IMAGE_INSTRUMENTED;
}

int images_came_later(uint64_t address) { return image_around(address, first_count) != NULL; }

uint64_t images_begin(uint32_t *cursor, uint64_t *end) {
    while (*cursor < image_count) {
        const struct image *image = &images[(*cursor)++];
        if (image->kind != IMAGE_INSTRUMENTED) continue;
        *end = image->high;
        return image->low;
    }
    return 0;
}

/* In a guarded program every block is the program's that is not a library's. */
int images_main_instrumented(void) { return PORT_GUARDS || main_instrumented; }

int images_any_instrumented(void) { return PORT_GUARDS || any_instrumented; }
