#include "environment.h"
#include "whence_abi.h"
#include "../os/mem.h"

#include <elf.h>

#define ORIGINAL_LENGTH (sizeof WH_VARIABLE_PREFIX - 1)

#define NAME(name) name,
static const char *const names[] = {WH_RUN_VARIABLES(NAME)};
#undef NAME
#define SAVED 4 /* the last ones: values of the user */
#define NAMES (sizeof names / sizeof *names)

static const char *ours[NAMES + 1];

/* The value in NAME=value, NULL if the entry has another name. */
static const char *value_of(const char *entry, const char *name) {
    while (*name && *entry == *name) entry++, name++;
    return !*name && *entry == '=' ? entry + 1 : NULL;
}

int environment_is_ours(const char *entry) {
    for (size_t i = 0; i < NAMES; i++)
        if (value_of(entry, names[i])) return 1;
    return 0;
}

const char *environment_users(const char *entry) {
    for (size_t i = NAMES - SAVED; i < NAMES; i++)
        if (value_of(entry, names[i])) return entry + ORIGINAL_LENGTH;
    return NULL;
}

const char *environment_ours(size_t index) { return ours[index]; }

const char *environment_value(char *const *environment, const char *name) {
    const char *value = NULL;
    for (; environment && *environment && !value; environment++)
        value = value_of(*environment, name);
    return value;
}

static void remember(char **environment) {
    size_t count = 0;
    for (; *environment && count < NAMES; environment++)
        if (environment_is_ours(*environment)) ours[count++] = *environment;
}

/* The auxiliary vector, whose address the C library keeps, lies behind the old end of the
 * environment; programs look for it behind the end that they see. Pairs that they ignore fill the
 * words between, of which the launcher has made an even number. */
static void fill_with_pairs(char **from, char **end) {
    if ((end - from) % 2) return;
    for (; from < end; from += 2) {
        Elf64_auxv_t ignored = {.a_type = AT_IGNORE};
        wh_copy(from, &ignored, sizeof ignored);
    }
}

/* Saved entries lose the prefix and so restore the user's values; the launcher's other entries are
 * removed. Without WH_OPTIONS_VARIABLE the launcher did not start this process. */
void environment_restore(char **environment) {
    if (!environment_value(environment, WH_OPTIONS_VARIABLE)) return;
    remember(environment);
    char **to = environment;
    for (; *environment; environment++) {
        const char *entry = *environment, *users = environment_users(entry);
        if (!environment_is_ours(entry))
            *to++ = *environment;
        else if (users)
            *to++ = (char *)(uintptr_t)users;
    }
    *to = NULL;
    fill_with_pairs(to + 1, environment + 1);
}
