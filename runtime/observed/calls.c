/* Calls of library functions lead to their wrappers.
 *
 * A program without IR calls another image by addresses that the loader has stored for it. Where
 * such an address is that of a function that has a wrapper, the wrapper's takes its place; so the
 * calls of the C library itself, and of the runtime, stay as they are. */
#include "observed.h"
#include "whence_abi.h"
#include "../os/dynamic.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../process/images.h"
#include "../process/tool.h"
#include "whence/rules.h"

#include <elf.h>
#include <link.h>

#define X(name, symbol) extern char symbol[] __attribute__((weak, visibility("hidden")));
WH_INTERCEPTS(X)
#undef X

static struct wrapper {
    const char *name;
    char *function;   /* NULL: this library has none */
    uint32_t version; /* of the images, when it was looked up whose function it stands for */
    int is_library;
} wrappers[] = {
#define X(name, symbol) {#name, symbol, 0, 0},
    WH_INTERCEPTS(X)
#undef X
};

/* Functions whose arguments the tool judges. Those that have no wrapper stand for themselves: the
 * program is to call them at once, since what the loader looks up at a first call defines the
 * registers. */
#define X(name, symbol, how) extern char called_##name[] __asm__(#symbol) __attribute__((weak));
WH_NUMBERS(X)
#undef X
static struct wrapper judged[] = {
#define X(name, symbol, how) {#name, called_##name, 0, 0},
    WH_NUMBERS(X)
#undef X
};

/* The names are in the order of their bytes. */
static struct wrapper *find(struct wrapper *table, size_t count, const char *name) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = wh_compare(name, table[middle].name);
        if (!order) return table[middle].function ? &table[middle] : NULL;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static struct wrapper *wrapper_of(const char *name) {
    struct wrapper *found = find(wrappers, sizeof wrappers / sizeof *wrappers, name);
    return found ? found : find(judged, sizeof judged / sizeof *judged, name);
}

/* ---- whose function it is ---- */

struct search {
    const char *name;
    int is_library;
};

/* The first image that defines a function is the one that is called, but for whence's own, which
 * stands for the C library. */
static int defines(struct dl_phdr_info *info, size_t size, void *into) {
    (void)size;
    struct search *search = into;
    struct dynamic dynamic;
    dynamic_of(info, &dynamic);
    const ElfW(Sym) *symbol = dynamic_symbol(&dynamic, search->name, STT_FUNC);
    if (!symbol) symbol = dynamic_symbol(&dynamic, search->name, STT_GNU_IFUNC);
    if (!symbol) return 0;
    search->is_library = images_kind(info->dlpi_addr + symbol->st_value) == IMAGE_SYSTEM;
    return 1;
}

/* Whether an address that is stored for a function is the C library's, or the name is where the
 * loader has not looked it up yet. */
static int is_library(struct wrapper *wrapper, uintptr_t stored) {
    if (images_kind(stored) == IMAGE_SYSTEM) return 1;
    if (wrapper->version != images_version()) {
        struct search search = {wrapper->name, 0};
        dl_iterate_phdr(defines, &search);
        wrapper->is_library = search.is_library;
        wrapper->version = images_version();
    }
    return wrapper->is_library;
}

/* ---- the addresses ---- */

/* The part of an image that the loader makes read-only when all of its addresses are stored. */
static struct whence_bounds closed_part(const struct dl_phdr_info *info) {
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_GNU_RELRO) continue;
        uintptr_t begin = wh_round_down(info->dlpi_addr + header->p_vaddr, OS_PAGE);
        uintptr_t end = wh_round_down(info->dlpi_addr + header->p_vaddr + header->p_memsz, OS_PAGE);
        return (struct whence_bounds){begin, end - begin};
    }
    return (struct whence_bounds){0, 0};
}

/* Whether the loader has made it so: it may be about to store addresses there. */
static int is_closed(struct whence_bounds part, uintptr_t address) {
    return address - part.begin < part.size && !tool_ask(WH_REQUEST_OWNER, address, 1);
}

/* Whether an address is as it was linked, in the image's own code or none: the loader is going to
 * add to what stands there, or to store another. */
static int is_linked(uintptr_t value, struct whence_bounds code) {
    return !value || value - code.begin < code.size;
}

/* The code of an image, where it was linked. */
static struct whence_bounds code_of(const struct dl_phdr_info *info) {
    for (unsigned i = 0; i < info->dlpi_phnum && info->dlpi_addr; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X)
            return (struct whence_bounds){info->dlpi_phdr[i].p_vaddr, info->dlpi_phdr[i].p_memsz};
    return (struct whence_bounds){0, 0};
}

/* 0 if an address is still as it was linked. */
static int lead(const struct dynamic *dynamic, const ElfW(Rela) * relocations, uint64_t size,
                struct whence_bounds code, struct whence_bounds closed, int *opened) {
    int complete = 1;
    for (uint64_t i = 0; i < size / sizeof *relocations; i++) {
        uint64_t type = ELF64_R_TYPE(relocations[i].r_info);
        if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
        const ElfW(Sym) *symbol = &dynamic->symbols[ELF64_R_SYM(relocations[i].r_info)];
        if (symbol->st_shndx != SHN_UNDEF) continue; /* its own */
        struct wrapper *wrapper = wrapper_of(dynamic->strings + symbol->st_name);
        char **slot = (char **)(dynamic->base + relocations[i].r_offset);
        if (!wrapper || *slot == wrapper->function) continue;
        if (!is_library(wrapper, (uintptr_t)*slot)) continue;
        if (is_linked((uintptr_t)*slot, code)) {
            complete = 0;
            continue;
        }
        if (!*opened && is_closed(closed, (uintptr_t)slot)) {
            if (os_protect(closed.begin, closed.size, OS_READ_WRITE) < 0) break;
            *opened = 1;
        }
        *slot = wrapper->function;
    }
    return complete;
}

int calls_lead(const struct dl_phdr_info *info) {
    struct dynamic dynamic;
    struct whence_bounds closed = closed_part(info), code = code_of(info);
    int opened = 0;
    dynamic_of(info, &dynamic);
    if (!dynamic.symbols || !dynamic.strings) return 1;
    int complete =
        lead(&dynamic, dynamic.jumps, dynamic.jumps_size, code, closed, &opened) &
        lead(&dynamic, dynamic.relocations, dynamic.relocations_size, code, closed, &opened);
    if (opened) os_protect(closed.begin, closed.size, OS_READ);
    return complete;
}
