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
#include "whence/rules.h"

#include <elf.h>
#include <link.h>

#define X(name, symbol) extern char symbol[] __attribute__((weak, visibility("hidden")));
WH_INTERCEPTS(X)
#undef X

static const struct wrapper {
    const char *name;
    char *function; /* NULL: this library has none */
} wrappers[] = {
#define X(name, symbol) {#name, symbol},
    WH_INTERCEPTS(X)
#undef X
};

/* The names are in the order of their bytes. */
static char *wrapper_of(const char *name) {
    size_t low = 0, high = sizeof wrappers / sizeof *wrappers;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = wh_compare(name, wrappers[middle].name);
        if (!order) return wrappers[middle].function;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* ---- whose function it is ---- */

struct search {
    const char *name;
    int found, is_library;
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
    search->found = 1;
    search->is_library = images_kind(info->dlpi_addr + symbol->st_value) == IMAGE_SYSTEM;
    return 1;
}

static int is_library(const char *name) {
    struct search search = {name, 0, 0};
    dl_iterate_phdr(defines, &search);
    return search.is_library;
}

/* ---- the addresses ---- */

/* The part of an image that the loader has made read-only. */
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

/* 0 if an address is still as it was linked. */
static int lead(const struct dynamic *dynamic, const ElfW(Rela) * relocations, uint64_t size,
                struct whence_bounds closed, int *opened) {
    int complete = 1;
    for (uint64_t i = 0; i < size / sizeof *relocations; i++) {
        uint64_t type = ELF64_R_TYPE(relocations[i].r_info);
        if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
        const ElfW(Sym) *symbol = &dynamic->symbols[ELF64_R_SYM(relocations[i].r_info)];
        if (symbol->st_shndx != SHN_UNDEF) continue; /* its own */
        const char *name = dynamic->strings + symbol->st_name;
        char *wrapper = wrapper_of(name);
        char **slot = (char **)(dynamic->base + relocations[i].r_offset);
        if (!wrapper || *slot == wrapper || !is_library(name)) continue;
        if ((uintptr_t)*slot < dynamic->base) complete = 0;
        if ((uintptr_t)slot - closed.begin < closed.size && !*opened) {
            if (os_protect(closed.begin, closed.size, OS_READ_WRITE) < 0) break;
            *opened = 1;
        }
        *slot = wrapper;
    }
    return complete;
}

int calls_lead(const struct dl_phdr_info *info) {
    struct dynamic dynamic;
    struct whence_bounds closed = closed_part(info);
    int opened = 0;
    dynamic_of(info, &dynamic);
    if (!dynamic.symbols || !dynamic.strings) return 1;
    int complete = lead(&dynamic, dynamic.jumps, dynamic.jumps_size, closed, &opened) &
                   lead(&dynamic, dynamic.relocations, dynamic.relocations_size, closed, &opened);
    if (opened) os_protect(closed.begin, closed.size, OS_READ);
    return complete;
}
