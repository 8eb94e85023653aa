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
static const char nameless[] = "its sections have no names";

struct object {
    int file;
    uint64_t size;
    Elf64_Ehdr header;
    Elf64_Shdr *sections; /* with room for those to add, and so the names */
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
static const char *read_sections(struct object *object, size_t more) {
    const Elf64_Ehdr *header = &object->header;
    Elf64_Shdr first;
    if (!header->e_shoff) return nameless;
    const char *problem = read_at(object, &first, header->e_shoff, sizeof first);
    if (problem) return problem;
    object->count = header->e_shnum ? header->e_shnum : first.sh_size;
    object->names_index = header->e_shstrndx == SHN_XINDEX ? first.sh_link : header->e_shstrndx;
    if (header->e_shentsize != sizeof first || object->count > MOST_SECTIONS)
        return "its section header table is damaged";
    if (object->names_index == 0 || object->names_index >= object->count) return nameless;
    object->sections = calloc(object->count + more, sizeof first);
    if (!object->sections) return strerror(errno);
    return read_at(object, object->sections, header->e_shoff, object->count * sizeof first);
}

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

static void describe(struct object *object, const struct elf_section *added, uint64_t offset) {
    size_t size = strlen(added->name) + 1;
    object->sections[object->count++] = (Elf64_Shdr){.sh_name = (Elf64_Word)object->names_size,
                                                     .sh_type = SHT_PROGBITS,
                                                     .sh_offset = offset,
                                                     .sh_size = added->size,
                                                     .sh_addralign = 1};
    memcpy(object->names + object->names_size, added->name, size);
    object->names_size += size;
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
static int append(struct object *object, const struct elf_section *added, size_t count) {
    uint64_t end = object->size;
    for (size_t i = 0; i < count; i++) {
        describe(object, &added[i], end);
        if (!write_at(object->file, added[i].data, end, added[i].size)) return 0;
        end += added[i].size;
    }
    object->sections[object->names_index].sh_offset = end;
    object->sections[object->names_index].sh_size = object->names_size;
    uint64_t table = (end + object->names_size + 7) & ~(uint64_t)7;
    number(object, table);
    return write_at(object->file, object->names, end, object->names_size) &&
           write_at(object->file, object->sections, table,
                    object->count * sizeof *object->sections) &&
           write_at(object->file, &object->header, 0, sizeof object->header);
}

static const char *append_or_undo(struct object *object, const struct elf_section *added,
                                  size_t count) {
    static char problem[256];
    if (append(object, added, count)) return NULL;
    snprintf(problem, sizeof problem, "[Errno %d] %s", errno, strerror(errno));
    /* The header still refers to the old table: what cannot be cut off does no harm. */
    (void)!ftruncate(object->file, (off_t)object->size);
    return problem;
}

/* With room for more sections, and for more bytes of names. */
static const char *read_object(struct object *object, size_t sections, size_t bytes) {
    const char *problem = read_header(object);
    if (!problem) problem = read_sections(object, sections);
    if (!problem) problem = read_names(object, bytes);
    return problem;
}

static void forget(const struct object *object) {
    free(object->names);
    free(object->sections);
}

const char *elf_add_sections(int file, const struct elf_section *added, size_t count) {
    struct object object = {.file = file};
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) bytes += strlen(added[i].name) + 1;
    const char *problem = read_object(&object, count, bytes);
    if (!problem) problem = append_or_undo(&object, added, count);
    forget(&object);
    return problem;
}

int elf_is(int file) {
    struct stat status;
    char magic[SELFMAG];
    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
           pread(file, magic, SELFMAG, 0) == SELFMAG && memcmp(magic, ELFMAG, SELFMAG) == 0;
}

/* Every name of the table ends within it, because one byte of it is ours. */
const char *elf_examine(int file, const char *name, struct elf_look *look) {
    struct object object = {.file = file};
    const char *problem = read_object(&object, 0, 1);
    if (!problem) {
        object.names[object.names_size] = 0;
        look->type = object.header.e_type;
        for (uint64_t i = 0; i < object.count; i++) {
            Elf64_Word at = object.sections[i].sh_name;
            if (at < object.names_size && strcmp(object.names + at, name) == 0) look->found = 1;
        }
    }
    forget(&object);
    return problem;
}
