/* Adding sections to ELF files, as `whence.toolchain.elf` does. */
#ifndef WHENCE_LAUNCHER_CC_ELF_H
#define WHENCE_LAUNCHER_CC_ELF_H

#include <stddef.h>

/* Appends a section that is not loaded to a 64-bit x86-64 object open for reading and writing.
 * NULL, or a sentence that says why not: the file then reads as before. */
const char *elf_add_section(int file, const char *name, const void *data, size_t size);

#endif
