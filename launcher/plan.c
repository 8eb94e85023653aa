#include "plan.h"
#include "whence_abi.h"
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- keys ---- */

int plan_key_add(struct plan_key *key, const char *string) {
    size_t size = strlen(string) + 1;
    if (key->size + size > key->room) {
        size_t room = 2 * (key->room + size);
        char *text = realloc(key->text, room);
        if (!text) return 0;
        key->text = text;
        key->room = room;
    }
    memcpy(key->text + key->size, string, size);
    key->size += size;
    return 1;
}

int plan_key_add_variables(struct plan_key *key, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *value = getenv(names[i]);
        if (value && (!plan_key_add(key, names[i]) || !plan_key_add(key, value))) return 0;
    }
    return 1;
}

/* FNV-1a with four different offsets. Collisions do no harm: the name only finds the file, and
 * plan_read compares the text. */
void plan_key_finish(struct plan_key *key) {
    for (unsigned part = 0; part < KEY_DIGITS / 16; part++) {
        uint64_t sum = 0xcbf29ce484222325ull + part * 0x9e3779b97f4a7c15ull;
        for (size_t i = 0; i < key->size; i++)
            sum = (sum ^ (unsigned char)key->text[i]) * 0x100000001b3ull;
        snprintf(key->name + 16 * part, 17, "%016llx", (unsigned long long)sum);
    }
}

/* ---- folders ---- */

static const char *const bases[][2] = {
#define WH_BASE(variable, below) {variable, below},
    WH_CACHE_BASES(WH_BASE)
#undef WH_BASE
};

static int folder_below(char path[PATH_MAX], const char *base, const char *below) {
    int used = snprintf(path, PATH_MAX, "%s/%s/" WH_PLAN_FOLDER, base, below);
    return used > 0 && used < PATH_MAX;
}

int plan_folder(char path[PATH_MAX]) {
    const char *base = getenv(WH_CACHE_VARIABLE);
    if (base && *base) return folder_below(path, base, "");
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if ((base = getenv(bases[i][0])) && base[0] == '/')
            return folder_below(path, base, bases[i][1]);
    return plan_home_folder(path);
}

int plan_home_folder(char path[PATH_MAX]) {
    const char *chosen = getenv(WH_CACHE_VARIABLE);
    const struct passwd *user = chosen && *chosen ? NULL : getpwuid(geteuid());
    if (!user || !user->pw_dir || user->pw_dir[0] != '/') return 0;
    return folder_below(path, user->pw_dir, WH_CACHE_HOME);
}

/* ---- trust ---- */

/* Whether every folder of the path and the file belong to the user or to root, and nobody else can
 * write to them. This is stricter than `whence.toolchain.cache_trust`, because refusing a plan only
 * costs time. */
static int is_trusted(const char *path) {
    char step[PATH_MAX];
    size_t length = strlen(path);
    if (path[0] != '/' || length >= sizeof step) return 0;
    for (size_t i = 1; i <= length; i++) {
        struct stat status;
        if (path[i] && path[i] != '/') continue;
        memcpy(step, path, i);
        step[i] = 0;
        if (lstat(step, &status) != 0) return 0;
        if (status.st_uid != 0 && status.st_uid != geteuid()) return 0;
        int sticky = path[i] && S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX);
        if (!S_ISLNK(status.st_mode) && (status.st_mode & (S_IWGRP | S_IWOTH)) && !sticky) return 0;
    }
    return 1;
}

/* ---- plans ---- */

static char *read_all(const char *path, size_t *size) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat status;
    char *data = NULL;
    if (file < 0) return NULL;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
        (data = malloc((size_t)status.st_size + 1))) {
        ssize_t n = read(file, data, (size_t)status.st_size);
        if (n != status.st_size) {
            free(data);
            data = NULL;
        } else {
            data[n] = 0;
            *size = (size_t)n;
        }
    }
    close(file);
    return data;
}

/* Whether the file is the one of this identity (`whence.toolchain.plans.identity`), "-" for none.
 * changed: with the time of its last change of status. */
static int is_identical(const char *path, const char *identity, int changed) {
    struct stat status;
    if (stat(path, &status) != 0) return strcmp(identity, "-") == 0;
#define NUMBER(field) (unsigned long long)status.field,
#define TIME(field) status.field.tv_sec * 1000000000ull + (unsigned long long)status.field.tv_nsec,
    const unsigned long long numbers[] = {WH_IDENTITY(NUMBER, TIME) WH_CHANGED(NUMBER, TIME)};
    const unsigned long long always[] = {WH_IDENTITY(NUMBER, TIME)};
#undef NUMBER
#undef TIME
    size_t count = (changed ? sizeof numbers : sizeof always) / sizeof *numbers;
    char *at = (char *)identity;
    for (size_t i = 0; i < count; i++, at += *at == ' ')
        if (strtoull(at, &at, 10) != numbers[i]) return 0;
    return !*at;
}

/* Whether what the line names is as it was, if it names anything. An entry of the cache has its
 * status changed whenever it is marked as used. */
static int is_unchanged(const struct plan_entry *entry) {
    if (entry->kind != WH_PLAN_FILE && entry->kind != WH_PLAN_ENTRY) return 1;
    return is_identical(entry->value, entry->more, entry->kind == WH_PLAN_FILE);
}

/* Splits the strings after the key into entries; 0 if the entry that ends a plan is missing. */
static int cut(struct plan *plan, char *at, const char *end, const char *pairs) {
    size_t room = 0;
    while (at < end) {
        if (plan->count == room) {
            room = 2 * room + 64;
            struct plan_entry *entries = realloc(plan->entries, room * sizeof *entries);
            if (!entries) return 0;
            plan->entries = entries;
        }
        struct plan_entry *entry = &plan->entries[plan->count];
        char *next = at + strlen(at) + 1;
        *entry = (struct plan_entry){at[0], at + (at[0] != 0), NULL};
        if (entry->kind == WH_PLAN_END) return 1;
        if (strchr(pairs, entry->kind)) {
            if (next >= end) return 0;
            entry->more = next;
            next += strlen(next) + 1;
        }
        plan->count++;
        at = next;
    }
    return 0;
}

int plan_read(struct plan *plan, const char *folder, const struct plan_key *key,
              const char *pairs) {
    char path[PATH_MAX];
    size_t size = 0;
    *plan = (struct plan){0};
    if (snprintf(path, sizeof path, "%s/%s", folder, key->name) >= (int)sizeof path) return 0;
    plan->data = read_all(path, &size);
    if (!plan->data || size < key->size || !is_trusted(path)) return 0;
    if (memcmp(plan->data, key->text, key->size) != 0) return 0;
    if (!cut(plan, plan->data + key->size, plan->data + size, pairs)) return 0;
    for (size_t i = 0; i < plan->count; i++)
        if (!is_unchanged(&plan->entries[i])) return 0;
    return 1;
}

/* ---- Python ---- */

void plan_request(const char *variable, const struct plan_key *key, size_t number,
                  const char *folder) {
    char value[PATH_MAX + 128];
    int file = memfd_create("whence-plan", 0);
    if (file < 0 || write(file, key->text, key->size) != (ssize_t)key->size) return;
    snprintf(value, sizeof value, WH_REQUEST_FORMAT, file, number, key->name, folder);
    setenv(variable, value, 1);
}

_Noreturn void plan_hand_over(const char *name, char **words) {
    char path[PATH_MAX + 32];
    ssize_t size = readlink("/proc/self/exe", path, PATH_MAX);
    char *slash = size > 0 ? (path[size] = 0, strrchr(path, '/')) : NULL;
    if (slash) {
        strcpy(slash + 1, name);
        execv(path, words);
    }
    fprintf(stderr, "whence: %s cannot be executed: install whence again\n", slash ? path : name);
    exit(125);
}
