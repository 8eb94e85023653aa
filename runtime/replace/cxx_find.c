/* The C++ library's functions, in the tables of the loaded images. */
#include "cxx.h"
#include "../os/mem.h"
#include "../os/dynamic.h"

#include <link.h>
#include <stddef.h>

static int contains(const struct dl_phdr_info *info, uintptr_t address) {
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_LOAD &&
            address - (info->dlpi_addr + header->p_vaddr) < header->p_memsz)
            return 1;
    }
    return 0;
}

static uintptr_t defined_in(const struct dl_phdr_info *info, const char *name) {
    struct dynamic dynamic;
    dynamic_of(info, &dynamic);
    const ElfW(Sym) *symbol = dynamic_symbol(&dynamic, name, STT_FUNC);
    return symbol ? info->dlpi_addr + symbol->st_value : 0;
}

/* ---- all images ---- */

/* What the program itself defines comes first, then what the library does. A library that another
 * one was linked with statically may define it, too. */
enum { NOWHERE, ELSEWHERE, IN_LIBRARY, IN_PROGRAM };

struct search {
    const char *name;
    uintptr_t found;
    int where, images;
};

static int is_library(const char *path) {
    static const char *const names[] = {"libstdc++.so.6", "libc++.so.1"};
    const char *name = wh_base_name(path ? path : "");
    return wh_same(name, names[0]) || wh_same(name, names[1]);
}

static int look(struct dl_phdr_info *info, size_t size, void *into) {
    (void)size;
    struct search *search = into;
    int where = !search->images++             ? IN_PROGRAM
                : is_library(info->dlpi_name) ? IN_LIBRARY
                                              : ELSEWHERE;
    if (where <= search->where || contains(info, (uintptr_t)look)) return 0;
    uintptr_t found = defined_in(info, search->name);
    if (!found) return 0;
    search->found = found;
    search->where = where;
    return 0;
}

uintptr_t cxx_find(const char *name) {
    struct search search = {.name = name, .where = NOWHERE};
    dl_iterate_phdr(look, &search);
    return search.found;
}

struct claim {
    const char *name;
    uintptr_t address;
    int holds;
};

static int judge(struct dl_phdr_info *info, size_t size, void *into) {
    (void)size;
    struct claim *claim = into;
    if (!contains(info, claim->address)) return 0;
    claim->holds = defined_in(info, claim->name) == claim->address;
    return 1;
}

int cxx_is_defined(const char *name, uintptr_t address) {
    struct claim claim = {name, address, 0};
    dl_iterate_phdr(judge, &claim);
    return claim.holds;
}
