#include "carry.h"
#include "elf.h"
#include "module.h"
#include "record.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const uint8_t *contents(int file, size_t *size) {
    struct stat status;
    if (fstat(file, &status) != 0 || status.st_size <= 0) return NULL;
    *size = (size_t)status.st_size;
    void *data = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0);
    return data == MAP_FAILED ? NULL : data;
}

int can_carry(const struct place *place, enum line_kind kind) {
    return blob_prepare() && module_can_say(place->line, place->plan, place->cwd) &&
           (kind == LINE_OBJECT || record_can_say(place->line));
}

/* ---- warnings ---- */

static void warn(const char *path, const char *problem) {
    fprintf(stderr, "whence-cc: warning: %s carries no IR, so it will run unchecked: %s\n", path,
            problem);
}

/* The first line with an error, else the first line; without the blanks around it. */
static void warn_of_errors(const char *source, const struct compilation *made) {
    char text[65536], number[64];
    ssize_t size = pread(made->errors, text, sizeof text - 1, 0);
    char *first = NULL, *chosen = NULL, *next;
    text[size > 0 ? size : 0] = 0;
    for (char *line = text; line && *line && !chosen; line = next) {
        if ((next = strchr(line, '\n'))) *next++ = 0;
        if (!first) first = line;
        if (strstr(line, "error:")) chosen = line;
    }
    snprintf(number, sizeof number, "the compiler ended with wait status %d", made->ir_status);
    if (!chosen) chosen = first ? first : number;
    chosen += strspn(chosen, " \t\r");
    for (size_t end = strlen(chosen); end && strchr(" \t\r", chosen[end - 1]); end--)
        chosen[end - 1] = 0;
    warn(source, chosen);
}

static void warn_of_link(const char *path, const char *problem) {
    fprintf(stderr, "whence-cc: warning: the link of %s is not recorded: %s\n", path, problem);
}

static void warn_of_opening(const char *path) {
    fprintf(stderr, "whence-cc: warning: the link of %s is not recorded: [Errno %d] %s: '%s'\n",
            path, errno, strerror(errno), path);
}

/* ---- objects ---- */

/* The module of a source; 0 with a warning if there is none. */
static int pack(struct blob *blob, const struct compilation *made, const struct place *place) {
    const char *coroutines = fact(place->plan, WH_COMPILE_COROUTINE);
    size_t size = 0;
    if (made->ir_status != 0) {
        warn_of_errors(place->line->source, made);
        return 0;
    }
    const uint8_t *bitcode = contents(made->bitcode, &size);
    if (bitcode && memmem(bitcode, size, coroutines, strlen(coroutines)))
        bitcode = contents(without_coroutines(place->plan, made->bitcode), &size);
    if (module_pack(blob, bitcode, size, place->line, place->plan, place->cwd)) return 1;
    warn(place->line->output, strerror(ENOMEM));
    return 0;
}

static struct elf_section section(const struct plan *plan, char name, const struct blob *blob) {
    return (struct elf_section){fact(plan, name), blob->data, blob->size};
}

void carry_object(const struct compilation *made, const struct place *place) {
    const char *path = place->line->output;
    struct stat status;
    struct blob blob;
    if (!pack(&blob, made, place)) return;
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        warn(path, strerror(errno));
        return;
    }
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
        const struct elf_section ir = section(place->plan, WH_COMPILE_SECTION, &blob);
        const char *problem = elf_add_sections(file, &ir, 1);
        if (problem) warn(path, problem);
    }
    close(file);
}

/* ---- programs ---- */

static void add(const struct blob *module, unsigned type, const struct place *place) {
    const char *path = place->line->output;
    struct blob record;
    if (!record_pack(&record, type, module->digest, place->line, place->plan, place->cwd)) {
        warn_of_link(path, strerror(ENOMEM));
        return;
    }
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        warn_of_opening(path);
        return;
    }
    const struct elf_section sections[] = {
        section(place->plan, WH_COMPILE_RECORD_SECTION, &record),
        section(place->plan, WH_COMPILE_SECTION, module),
    };
    const char *problem = elf_add_sections(file, sections, 2);
    if (problem) warn_of_link(path, problem);
    close(file);
}

int carry_program(const struct compilation *made, const struct place *place) {
    const char *path = place->line->output, *problem = NULL;
    struct elf_look look = {0};
    struct blob module;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        warn_of_opening(path);
    } else if (elf_is(file)) {
        problem = elf_examine(file, fact(place->plan, WH_COMPILE_SECTION), &look);
        if (problem) warn_of_link(path, problem);
    }
    if (file >= 0) close(file);
    if (look.found) return 0;
    if (pack(&module, made, place) && look.type) add(&module, look.type, place);
    return 1;
}
