#include "dynamic.h"
#include "mem.h"

/* The loader relocates the addresses in a dynamic section, but not in one that
 * it cannot write (the kernel's vdso). */
static const void *at(uintptr_t base, uintptr_t address) {
    return (const void *)(address < base ? address + base : address);
}

void dynamic_read(const ElfW(Dyn) * entries, uintptr_t base, struct dynamic *dynamic) {
    *dynamic = (struct dynamic){.base = base, .entries = entries};
    for (const ElfW(Dyn) *entry = entries; entry && entry->d_tag != DT_NULL; entry++) {
        const void *place = at(base, entry->d_un.d_ptr);
        switch (entry->d_tag) {
        case DT_SYMTAB: dynamic->symbols = place; break;
        case DT_STRTAB: dynamic->strings = place; break;
        case DT_GNU_HASH: dynamic->gnu = place; break;
        case DT_HASH: dynamic->plain = place; break;
        case DT_VERSYM: dynamic->versions = place; break;
        case DT_RELA: dynamic->relocations = place; break;
        case DT_RELASZ: dynamic->relocations_size = entry->d_un.d_val; break;
        case DT_JMPREL: dynamic->jumps = place; break;
        case DT_PLTRELSZ: dynamic->jumps_size = entry->d_un.d_val; break;
        default: break;
        }
    }
}

void dynamic_of(const struct dl_phdr_info *info, struct dynamic *dynamic) {
    const ElfW(Dyn) *entries = NULL;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entries = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    dynamic_read(entries, info->dlpi_addr, dynamic);
}

#define VERSION_HIDDEN 0x8000 /* of an older version of the symbol */

static const ElfW(Sym) *
    definition(const struct dynamic *dynamic, uint32_t index, const char *name, unsigned type) {
    const ElfW(Sym) *symbol = &dynamic->symbols[index];
    if (dynamic->versions && (dynamic->versions[index] & VERSION_HIDDEN)) return NULL;
    int is_one = symbol->st_shndx != SHN_UNDEF && symbol->st_value &&
                 ELF64_ST_TYPE(symbol->st_info) == type &&
                 wh_same(dynamic->strings + symbol->st_name, name);
    return is_one ? symbol : NULL;
}

/* By the table that each image had before there were hashes of GNU's. */
static const ElfW(Sym) *
    look_up_plain(const struct dynamic *dynamic, const char *name, unsigned type) {
    for (uint32_t index = 1; dynamic->plain && index < dynamic->plain[1]; index++) {
        const ElfW(Sym) *symbol = definition(dynamic, index, name, type);
        if (symbol) return symbol;
    }
    return NULL;
}

static uint32_t hash_of(const char *name) {
    uint32_t hash = 5381;
    while (*name) hash = hash * 33 + (uint8_t)*name++;
    return hash;
}

const ElfW(Sym) * dynamic_symbol(const struct dynamic *dynamic, const char *name, unsigned type) {
    if (!dynamic->symbols || !dynamic->strings) return NULL;
    if (!dynamic->gnu) return look_up_plain(dynamic, name, type);
    uint32_t buckets = dynamic->gnu[0], first = dynamic->gnu[1], filters = dynamic->gnu[2];
    const uint32_t *bucket = dynamic->gnu + 4 + 2 * filters, *chain = bucket + buckets;
    uint32_t hash = hash_of(name), index = buckets ? bucket[hash % buckets] : 0;
    if (index < first) return NULL;
    for (;; index++) {
        uint32_t link = chain[index - first];
        const ElfW(Sym) *symbol =
            (link | 1) == (hash | 1) ? definition(dynamic, index, name, type) : NULL;
        if (symbol || (link & 1)) return symbol;
    }
}

int dynamic_needs(const struct dynamic *dynamic, const char *library) {
    for (const ElfW(Dyn) *entry = dynamic->strings ? dynamic->entries : NULL;
         entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_NEEDED && wh_same(dynamic->strings + entry->d_un.d_val, library))
            return 1;
    return 0;
}
