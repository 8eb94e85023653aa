/* Adding sections to ELF files, as `whence.toolchain.elf` does. */
#ifndef WHENCE_LAUNCHER_CC_ELF_H
#define WHENCE_LAUNCHER_CC_ELF_H

#include <stddef.h>

struct elf_section {
    const char *name;
    const void *data;
    size_t size;
};

/* Appends sections that are not loaded to a 64-bit x86-64 file open for reading and writing; it
 * has none of these names. NULL, or a sentence that says why not: the file then reads as before. */
const char *elf_add_sections(int file, const struct elf_section *added, size_t count);

/* Whether it is a regular file that begins as ELF files do. */
int elf_is(int file);

struct elf_look {
    unsigned type; /* ET_* */
    int found;     /* whether the file has a section of the name */
};

/* NULL, or a sentence that says why the file cannot be read. */
const char *elf_examine(int file, const char *name, struct elf_look *look);

#endif
