/* The dynamic section of a loaded image: its symbols, and its relocations.
 *
 * dlsym would wait for a thread that loads a library, whose constructors may wait for this one,
 * and would change what dlerror returns next. */
#ifndef WHENCE_OS_DYNAMIC_H
#define WHENCE_OS_DYNAMIC_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

struct dynamic {
    uintptr_t base;
    const ElfW(Dyn) * entries;
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *gnu, *plain; /* hash tables */
    const ElfW(Half) * versions;
    const ElfW(Rela) * relocations, *jumps;
    uint64_t relocations_size, jumps_size; /* bytes */
};

/* entries: NULL where the image has none; then, it has nothing. */
void dynamic_read(const ElfW(Dyn) * entries, uintptr_t base, struct dynamic *dynamic);
/* That of an image that dl_iterate_phdr shows. */
void dynamic_of(const struct dl_phdr_info *info, struct dynamic *dynamic);
/* What an image defines by this name, by no older version of it; type: STT_FUNC or STT_OBJECT. NULL
 * if nothing. */
const ElfW(Sym) * dynamic_symbol(const struct dynamic *dynamic, const char *name, unsigned type);
/* Whether it depends on a library of this name. */
int dynamic_needs(const struct dynamic *dynamic, const char *library);

#endif
