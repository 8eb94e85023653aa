#include "elf.h"
#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_SECTIONS (1u << 20)
#define MOST_NAMES (64u << 20)

static const char truncated[] = "the file is truncated or damaged";

struct object {
    int file;
    uint64_t size;
    Elf64_Ehdr header;
    Elf64_Shdr *sections; /* with room for one more */
    uint64_t count, names_index;
    char *names;
    uint64_t names_size;
};

static const char *read_at(const struct object *object, void *into, uint64_t offset,
                           uint64_t size) {
    if (offset > object->size || size > object->size - offset) return truncated;
    for (uint64_t done = 0; done < size;) {
        ssize_t n = pread(object->file, (char *)into + done, size - done, (off_t)(offset + done));
        if (n <= 0) return n < 0 ? strerror(errno) : truncated;
        done += (uint64_t)n;
    }
    return NULL;
}

static const char *read_header(struct object *object) {
    struct stat status;
    Elf64_Ehdr *header = &object->header;
    if (fstat(object->file, &status) != 0) return strerror(errno);
    object->size = (uint64_t)status.st_size;
    if (object->size < SELFMAG || read_at(object, header, 0, SELFMAG) ||
        memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return "it is not an ELF file";
    const char *problem = read_at(object, header, 0, sizeof *header);
    if (problem) return problem;
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_machine != EM_X86_64)
        return "it is made for another machine";
    return NULL;
}

/* Numbers of sections beyond 16 bits stand in the first one. */
static const char *read_sections(struct object *object) {
    const Elf64_Ehdr *header = &object->header;
    Elf64_Shdr first;
    const char *problem = read_at(object, &first, header->e_shoff, sizeof first);
    if (problem) return problem;
    object->count = header->e_shnum ? header->e_shnum : first.sh_size;
    object->names_index = header->e_shstrndx == SHN_XINDEX ? first.sh_link : header->e_shstrndx;
    if (!header->e_shoff || header->e_shentsize != sizeof first || object->count > MOST_SECTIONS)
        return "its section header table is damaged";
    if (object->names_index == 0 || object->names_index >= object->count)
        return "its sections have no names";
    object->sections = calloc(object->count + 1, sizeof first);
    if (!object->sections) return strerror(errno);
    return read_at(object, object->sections, header->e_shoff, object->count * sizeof first);
}

/* With room for one more name. */
static const char *read_names(struct object *object, size_t more) {
    const Elf64_Shdr *section = &object->sections[object->names_index];
    object->names_size = section->sh_size;
    if (object->names_size > MOST_NAMES) return "its section names are damaged";
    object->names = malloc(object->names_size + more);
    if (!object->names) return strerror(errno);
    return read_at(object, object->names, section->sh_offset, object->names_size);
}

static int write_at(int file, const void *from, uint64_t offset, uint64_t size) {
    for (uint64_t done = 0; done < size;) {
        ssize_t n = pwrite(file, (const char *)from + done, size - done, (off_t)(offset + done));
        if (n <= 0) return 0;
        done += (uint64_t)n;
    }
    return 1;
}

static void describe(struct object *object, const char *name, uint64_t offset, uint64_t size) {
    Elf64_Shdr *section = &object->sections[object->count++];
    *section = (Elf64_Shdr){.sh_name = (Elf64_Word)object->names_size,
                            .sh_type = SHT_PROGBITS,
                            .sh_offset = offset,
                            .sh_size = size,
                            .sh_addralign = 1};
    memcpy(object->names + object->names_size, name, strlen(name) + 1);
    object->names_size += strlen(name) + 1;
    object->sections[object->names_index].sh_offset = offset + size;
    object->sections[object->names_index].sh_size = object->names_size;
}

static void number(struct object *object, uint64_t table) {
    Elf64_Ehdr *header = &object->header;
    int many = object->count >= SHN_LORESERVE;
    object->sections[0].sh_size = many ? object->count : 0;
    header->e_shoff = table;
    header->e_shnum = many ? 0 : (Elf64_Half)object->count;
    header->e_shstrndx =
        object->names_index < SHN_LORESERVE ? (Elf64_Half)object->names_index : SHN_XINDEX;
}

/* The contents, the names and the table go behind the end; the header, which is written last, makes
 * the file refer to them. */
static const char *append(struct object *object, const char *name, const void *data, size_t size) {
    static char problem[256];
    describe(object, name, object->size, size);
    uint64_t names = object->size + size;
    uint64_t table = (names + object->names_size + 7) & ~(uint64_t)7;
    number(object, table);
    if (write_at(object->file, data, object->size, size) &&
        write_at(object->file, object->names, names, object->names_size) &&
        write_at(object->file, object->sections, table, object->count * sizeof *object->sections) &&
        write_at(object->file, &object->header, 0, sizeof object->header))
        return NULL;
    snprintf(problem, sizeof problem, "[Errno %d] %s", errno, strerror(errno));
    /* The header still refers to the old table: what cannot be cut off does no harm. */
    (void)!ftruncate(object->file, (off_t)object->size);
    return problem;
}

const char *elf_add_section(int file, const char *name, const void *data, size_t size) {
    struct object object = {.file = file};
    const char *problem = read_header(&object);
    if (!problem) problem = read_sections(&object);
    if (!problem) problem = read_names(&object, strlen(name) + 1);
    if (!problem) problem = append(&object, name, data, size);
    free(object.names);
    free(object.sections);
    return problem;
}
