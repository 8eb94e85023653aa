#include "start.h"
#include "whence_abi.h"
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- keys ---- */

/* The variables that set the place of the cache are missing: they do not change what a run does. */
static const char *const variables[] = {
    "GLIBC_TUNABLES", "LD_AUDIT",   "LD_LIBRARY_PATH", "LD_PRELOAD",
    "PYTHONMALLOC",   "PYTHONPATH", "TMPDIR",
};

extern char **environ;

struct text {
    char *data;
    size_t size, room;
};

static int add(struct text *text, const char *string) {
    size_t size = strlen(string) + 1;
    if (text->size + size > text->room) {
        size_t room = 2 * (text->room + size);
        char *data = realloc(text->data, room);
        if (!data) return 0;
        text->data = data;
        text->room = room;
    }
    memcpy(text->data + text->size, string, size);
    text->size += size;
    return 1;
}

static int add_variables(struct text *text) {
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value && (!add(text, variables[i]) || !add(text, value))) return 0;
    }
    for (char **entry = environ; *entry; entry++)
        if (strncmp(*entry, WH_VARIABLE_PREFIX, sizeof WH_VARIABLE_PREFIX - 1) == 0 &&
            !add(text, *entry))
            return 0;
    return 1;
}

/* FNV-1a with four different offsets. Collisions do no harm: the name only finds the file, and
 * start_read compares the text. */
static void name_text(struct start_key *key) {
    for (unsigned part = 0; part < KEY_DIGITS / 16; part++) {
        uint64_t sum = 0xcbf29ce484222325ull + part * 0x9e3779b97f4a7c15ull;
        for (size_t i = 0; i < key->size; i++)
            sum = (sum ^ (unsigned char)key->text[i]) * 0x100000001b3ull;
        snprintf(key->name + 16 * part, 17, "%016llx", (unsigned long long)sum);
    }
}

/* The number of words up to the first that is not an option. That may also be the value of an
 * option; then no plan has this key, because plans are written for programs only. */
static size_t words_of_key(int count, char **words) {
    for (int i = 0; i < count; i++)
        if (words[i][0] != '-') return strchr(words[i], '/') ? (size_t)i + 1 : 0;
    return 0;
}

int start_key_make(struct start_key *key, int count, char **words) {
    char cwd[PATH_MAX];
    char user[32];
    struct text text = {0};
    key->words = words_of_key(count, words);
    if (!key->words || !getcwd(cwd, sizeof cwd)) return 0;
    snprintf(user, sizeof user, "%u", (unsigned)geteuid());
    int complete = add(&text, user) && add(&text, cwd);
    for (size_t i = 0; complete && i < key->words; i++) complete = add(&text, words[i]);
    complete = complete && add_variables(&text);
    key->text = text.data;
    key->size = text.size;
    if (complete) name_text(key);
    return complete;
}

/* ---- folders ---- */

static const char *const bases[][2] = {
#define WH_BASE(variable, below) {variable, below},
    WH_CACHE_BASES(WH_BASE)
#undef WH_BASE
};

static int folder_below(char path[PATH_MAX], const char *base, const char *below) {
    int used = snprintf(path, PATH_MAX, "%s/%s/starts", base, below);
    return used > 0 && used < PATH_MAX;
}

int start_folder(char path[PATH_MAX]) {
    const char *base = getenv(WH_CACHE_VARIABLE);
    if (base && *base) return folder_below(path, base, "");
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if ((base = getenv(bases[i][0])) && base[0] == '/')
            return folder_below(path, base, bases[i][1]);
    return start_home_folder(path);
}

int start_home_folder(char path[PATH_MAX]) {
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

/* "DEVICE INODE SIZE MTIME CTIME" of a file, times in ns; "-" for a file that does not exist. */
static void identify(const char *path, char *into, size_t size) {
    struct stat status;
    if (stat(path, &status) != 0) {
        snprintf(into, size, "-");
        return;
    }
    long long changed = status.st_ctim.tv_sec * 1000000000ll + status.st_ctim.tv_nsec;
    long long written = status.st_mtim.tv_sec * 1000000000ll + status.st_mtim.tv_nsec;
    snprintf(into, size, "%llu %llu %lld %lld %lld", (unsigned long long)status.st_dev,
             (unsigned long long)status.st_ino, (long long)status.st_size, written, changed);
}

static int is_unchanged(const struct start_entry *entry) {
    char identity[128];
    identify(entry->value, identity, sizeof identity);
    return strcmp(identity, entry->more) == 0;
}

static int has_more(char kind) { return kind == 'F' || kind == 'L' || kind == 'C'; }

/* Splits the strings after the key into entries; 0 if the entry that ends a plan is missing. */
static int cut(struct start *start, char *at, const char *end) {
    size_t room = 0;
    while (at < end) {
        if (start->count == room) {
            room = 2 * room + 64;
            struct start_entry *entries = realloc(start->entries, room * sizeof *entries);
            if (!entries) return 0;
            start->entries = entries;
        }
        struct start_entry *entry = &start->entries[start->count];
        char *next = at + strlen(at) + 1;
        *entry = (struct start_entry){at[0], at + (at[0] != 0), NULL};
        if (entry->kind == '.') return 1;
        if (has_more(entry->kind)) {
            if (next >= end) return 0;
            entry->more = next;
            next += strlen(next) + 1;
        }
        start->count++;
        at = next;
    }
    return 0;
}

int start_read(struct start *start, const char *folder, const struct start_key *key) {
    char path[PATH_MAX];
    size_t size = 0;
    *start = (struct start){0};
    if (snprintf(path, sizeof path, "%s/%s", folder, key->name) >= (int)sizeof path) return 0;
    start->data = read_all(path, &size);
    if (!start->data || size < key->size || !is_trusted(path)) return 0;
    if (memcmp(start->data, key->text, key->size) != 0) return 0;
    if (!cut(start, start->data + key->size, start->data + size)) return 0;
    for (size_t i = 0; i < start->count; i++)
        if (start->entries[i].kind == 'F' && !is_unchanged(&start->entries[i])) return 0;
    return 1;
}
