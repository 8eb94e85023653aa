#include "program.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../os/text.h"
#include "../settings/options.h"

#include <elf.h>
#include <limits.h>

static char file[PATH_MAX], copy[PATH_MAX];

static const char *last_name(const char *path) {
    const char *name = path;
    for (; *path; path++)
        if (*path == '/') name = path + 1;
    return name;
}

void program_init(const char *environment, size_t size) {
    size_t length = 0;
    const char *value = options_variable(environment, size, WH_PROGRAM_VARIABLE, &length);
    if (!value || length >= sizeof file) return;
    if (os_read_link("/proc/self/exe", copy, sizeof copy - 1) <= 0) return;
    wh_copy(file, value, length);
    os_rename(last_name(file));
}

void program_name_auxiliary(char **environment) {
    if (!*file) return;
    while (*environment) environment++;
    for (Elf64_auxv_t *at = (Elf64_auxv_t *)(environment + 1); at->a_type != AT_NULL; at++)
        if (at->a_type == AT_EXECFN) at->a_un.a_val = (uintptr_t)file;
}

const char *program_file(void) { return *file ? file : NULL; }

const char *program_copy(void) { return copy; }

static int is_same(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return *a == *b;
}

int program_is_named(const char *path) {
    if (is_same(path, "/proc/self/exe") || is_same(path, "/proc/thread-self/exe")) return 1;
    TEXT(own, 40);
    text_put(&own, "/proc/");
    text_decimal(&own, os_process());
    text_put(&own, "/exe");
    text_put_n(&own, "", 1);
    return is_same(path, own.begin);
}

const char *program_meant(const char *path) {
    return path && *file && program_is_named(path) ? file : path;
}

int program_is(const char *path) {
    return *file &&
           (program_is_named(path) || os_same_file(path, file) || os_same_file(path, copy));
}

static int is_mapped(const void *address) {
    return os_readable(wh_round_down((uintptr_t)address, sizeof(uint64_t)));
}

long program_link(const char *path, char *to, size_t size) {
    if (!*file || !size || !is_mapped(path) || !is_mapped(to) || !program_is_named(path)) return -1;
    size_t length = wh_length(file);
    if (length > size) length = size;
    wh_copy(to, file, length);
    return (long)length;
}
