/* A search of our own through the images' tables: dlsym would wait for a thread that loads a
 * library, whose constructors may wait for this one, and would change what dlerror returns next. */
#include "cxx.h"
#include "../os/mem.h"

#include <link.h>
#include <stddef.h>

/* ---- one image ---- */

struct tables {
    const ElfW(Sym) * symbols;
    const char *names;
    const uint32_t *gnu, *plain; /* hash tables */
    const ElfW(Half) * versions;
};

/* The loader has relocated the addresses of the dynamic section where it can be written. */
static const void *at(const struct dl_phdr_info *info, ElfW(Addr) address) {
    return (const void *)(address < info->dlpi_addr ? address + info->dlpi_addr : address);
}

static int read_tables(const struct dl_phdr_info *info, struct tables *tables) {
    const ElfW(Dyn) *entry = NULL;
    *tables = (struct tables){0};
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; entry && entry->d_tag != DT_NULL; entry++) {
        const void *place = at(info, entry->d_un.d_ptr);
        switch (entry->d_tag) {
        case DT_SYMTAB: tables->symbols = place; break;
        case DT_STRTAB: tables->names = place; break;
        case DT_GNU_HASH: tables->gnu = place; break;
        case DT_HASH: tables->plain = place; break;
        case DT_VERSYM: tables->versions = place; break;
        default: break;
        }
    }
    return tables->symbols && tables->names && (tables->gnu || tables->plain);
}

#define VERSION_HIDDEN 0x8000 /* of an older version of the symbol */

static int is_definition(const struct tables *tables, uint32_t index, const char *name) {
    const ElfW(Sym) *symbol = &tables->symbols[index];
    if (tables->versions && (tables->versions[index] & VERSION_HIDDEN)) return 0;
    return symbol->st_shndx != SHN_UNDEF && symbol->st_value &&
           ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
           wh_same(tables->names + symbol->st_name, name);
}

static uint32_t hash_of(const char *name) {
    uint32_t hash = 5381;
    while (*name) hash = hash * 33 + (uint8_t)*name++;
    return hash;
}

/* The index of the symbol in the table, 0 if the image does not define it. */
static uint32_t look_up(const struct tables *tables, const char *name) {
    if (!tables->gnu) { /* the table that each image had before */
        for (uint32_t index = 1; index < tables->plain[1]; index++)
            if (is_definition(tables, index, name)) return index;
        return 0;
    }
    uint32_t buckets = tables->gnu[0], first = tables->gnu[1], filters = tables->gnu[2];
    const uint32_t *bucket = tables->gnu + 4 + 2 * filters, *chain = bucket + buckets;
    uint32_t hash = hash_of(name), index = buckets ? bucket[hash % buckets] : 0;
    if (index < first) return 0;
    for (;; index++) {
        uint32_t link = chain[index - first];
        if ((link | 1) == (hash | 1) && is_definition(tables, index, name)) return index;
        if (link & 1) return 0;
    }
}

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
    struct tables tables;
    uint32_t index = read_tables(info, &tables) ? look_up(&tables, name) : 0;
    return index ? info->dlpi_addr + tables.symbols[index].st_value : 0;
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
