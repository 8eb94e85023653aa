#include "program.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../os/text.h"
#include "../settings/options.h"

#include <elf.h>
#include <limits.h>

static char file[PATH_MAX], copy[PATH_MAX];

void program_init(const char *environment, size_t size) {
    size_t length = 0;
    const char *value = options_variable(environment, size, WH_PROGRAM_VARIABLE, &length);
    if (!value || length >= sizeof file) return;
    if (os_read_link("/proc/self/exe", copy, sizeof copy - 1) <= 0) return;
    wh_copy(file, value, length);
    os_rename(wh_base_name(file));
}

void program_name_auxiliary(char **environment) {
    if (!*file) return;
    while (*environment) environment++;
    for (Elf64_auxv_t *at = (Elf64_auxv_t *)(environment + 1); at->a_type != AT_NULL; at++)
        if (at->a_type == AT_EXECFN) at->a_un.a_val = (uintptr_t)file;
}

const char *program_file(void) { return *file ? file : NULL; }

const char *program_copy(void) { return copy; }

int program_is_named(const char *path) {
    if (wh_same(path, "/proc/self/exe") || wh_same(path, "/proc/thread-self/exe")) return 1;
    TEXT(own, 40);
    text_put(&own, "/proc/");
    text_decimal(&own, os_process());
    text_put(&own, "/exe");
    text_put_n(&own, "", 1);
    return wh_same(path, own.begin);
}

const char *program_meant(const char *path) {
    return path && *file && program_is_named(path) ? file : path;
}

int program_is(const char *path) {
    return *file &&
           (program_is_named(path) || os_same_file(path, file) || os_same_file(path, copy));
}

int program_has_link(const char *path, const char *to, size_t size) {
    return *file && size && os_readable_word((uintptr_t)path) && os_readable_word((uintptr_t)to) &&
           program_is_named(path);
}

long program_link(char *to, size_t size) {
    size_t length = wh_length(file);
    if (length > size) length = size;
    wh_copy(to, file, length);
    return (long)length;
}
