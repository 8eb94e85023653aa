#include "line.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LONGEST 90000 /* bytes of words above which they may have to go into a response file */

/* What was seen of a command line on the way through it. */
struct seen {
    int inputs, object, elsewhere, unlinked, shared, precompiled;
    int unrecorded; /* an option with whose link only Python deals */
};

static const char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The suffix of a file's name with its dot; an empty string if it has none. */
static const char *suffix(const char *path) {
    const char *name = name_of(path);
    name += strspn(name, ".");
    const char *dot = strrchr(name, '.');
    return dot ? dot : name + strlen(name);
}

static void read_input(struct line *line, struct seen *seen, const struct plan *plan,
                       const char *word) {
    seen->inputs++;
    line->source = word;
    words_add(&line->parts, word);
    line->language = fact_of(plan, WH_COMPILE_LANGUAGE, suffix(word));
}

/* A folder for libraries: the part is -LFOLDER in both forms. */
static void read_folder(struct line *line, struct seen *seen, const char *option,
                        const char *argument) {
    char *whole = NULL;
    const char *folder = argument ? argument : option + 2;
    if (!*folder || *folder == '=' || asprintf(&whole, "-L%s", folder) < 0)
        seen->unrecorded = 1;
    else
        words_add(&line->parts, whole);
}

static void read_part(struct line *line, struct seen *seen, const struct plan *plan,
                      const char *option, const char *argument) {
    int library = strncmp(option, "-l", 2) == 0;
    if (strncmp(option, "-L", 2) == 0)
        read_folder(line, seen, option, argument);
    else if (!argument && ((library && option[2]) || fact_of(plan, WH_COMPILE_PART, option)))
        words_add(&line->parts, option);
    else if (library || begins_like(plan, WH_COMPILE_UNRECORDED, option))
        seen->unrecorded = 1;
}

static void read_option(struct line *line, struct seen *seen, const struct plan *plan, char class,
                        const char *option, const char *argument) {
    const char *level = fact_of(plan, WH_COMPILE_LEVEL, option);
    if (level) line->level = level;
    switch (class) {
    case WH_OPTION_PRECOMPILED: seen->precompiled = 1; /* fall through */
    case WH_OPTION_SHAPE:
        words_add(&line->flags, option);
        if (argument) words_add(&line->flags, argument);
        return;
    case WH_OPTION_SHARED: seen->shared = 1; return;
    case WH_OPTION_FIXED: seen->shared = 0; return;
    case WH_OPTION_OBJECT: seen->object = 1; return;
    case WH_OPTION_OUTPUT: line->output = argument ? argument : option + strlen("-o"); return;
    case WH_OPTION_UNLINKED: seen->unlinked = 1; /* fall through */
    case WH_OPTION_ELSEWHERE: seen->elsewhere = 1; return;
    case WH_OPTION_LINK:
    case WH_OPTION_HIDDEN:
    case WH_OPTION_PYTHON: return;
    }
}

/* 0 for what only Python understands. */
static int read_words(struct line *line, struct seen *seen, const struct plan *plan, char **words) {
    size_t size = 0;
    for (; *words; words++) {
        const char *word = *words, *argument = NULL;
        size += strlen(word) + 9;
        if (word[0] == '@' || !strcmp(word, "-") || !strcmp(word, "--")) return 0;
        if (word[0] != '-') {
            words_add(&line->unlinked, word);
            read_input(line, seen, plan, word);
            continue;
        }
        if (takes_argument(plan, word)) {
            argument = *++words;
            if (!argument) return 0;
            size += strlen(argument) + 9;
        }
        char class = option_class(plan, word, argument);
        if (class == WH_OPTION_PYTHON) return 0;
        if (class != WH_OPTION_LINK) {
            words_add(&line->unlinked, word);
            if (argument) words_add(&line->unlinked, argument);
        }
        read_option(line, seen, plan, class, word, argument);
        read_part(line, seen, plan, word, argument);
    }
    return size < LONGEST;
}

static int is_device(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

static char *object_of(const char *source) {
    const char *name = name_of(source);
    int size = (int)(suffix(source) - name);
    char *path = NULL;
    return asprintf(&path, "%.*s.o", size, name) < 0 ? NULL : path;
}

/* Whether the native command can make the link, which is none of objects. */
static int can_link(const struct plan *plan, const struct seen *seen) {
    for (size_t i = 0; i < plan->count; i++) {
        const char *value =
            plan->entries[i].kind == WH_COMPILE_UNLINKED ? getenv(plan->entries[i].value) : NULL;
        if (value && *value) return 0;
    }
    return !seen->unrecorded;
}

enum line_kind line_read(struct line *line, const struct plan *plan, char **words) {
    struct seen seen = {0};
    *line = (struct line){.level = fact_of(plan, WH_COMPILE_LEVEL, "")};
    if (!read_words(line, &seen, plan, words)) return LINE_PYTHON;
    if (!seen.object && !seen.unlinked) line->unlinked.count = 0;
    int nothing = !seen.inputs && !line->parts.count && !seen.unrecorded;
    if (seen.elsewhere || nothing) return LINE_CLANG;
    if (seen.inputs != 1 || !line->language) return LINE_PYTHON;
    if (!seen.object && (!line->language[0] || !can_link(plan, &seen))) return LINE_PYTHON;
    if (!line->language[0]) return LINE_CLANG;
    if (strncmp(line->source, "/dev/", 5) == 0 || strncmp(line->source, "/proc/", 6) == 0)
        return LINE_PYTHON;
    if (line->output && strcmp(line->output, "-") == 0) return LINE_PYTHON;
    if (line->output && is_device(line->output)) return LINE_CLANG;
    if (!line->output) line->output = seen.object ? object_of(line->source) : "a.out";
    if (!line->output) return LINE_PYTHON;
    if (seen.precompiled) words_add_facts(&line->flags, plan, WH_COMPILE_PRECOMPILED);
    words_add(&line->flags,
              fact(plan, seen.shared ? WH_COMPILE_FOR_SHARED : WH_COMPILE_FOR_PROGRAMS));
    return seen.object ? LINE_OBJECT : LINE_LINK;
}

char *line_path(const char *path, const char *folder) {
    size_t size = strlen(folder);
    const char *slash = size && folder[size - 1] == '/' ? "" : "/";
    char *whole = NULL;
    if (path[0] == '/') return strdup(path);
    return asprintf(&whole, "%s%s%s", folder, slash, path) < 0 ? NULL : whole;
}

/* POSIX lets two slashes at the begin mean something of their own. */
static size_t root_of(const char *path) {
    return path[0] == '/' && path[1] == '/' && path[2] != '/' ? 2 : 1;
}

char *line_simple_path(const char *path, const char *folder) {
    char *whole = line_path(path, folder), *from, *to, *first;
    if (!whole) return NULL;
    from = first = to = whole + root_of(whole);
    while (*from) {
        size_t size = strcspn(from, "/");
        char *next = from + size + (from[size] == '/');
        int is_up = size == 2 && strncmp(from, "..", 2) == 0;
        if (is_up) {
            while (to > first && *--to != '/') {
            }
        } else if (size && !(size == 1 && *from == '.')) {
            if (to > first) *to++ = '/';
            memmove(to, from, size);
            to += size;
        }
        from = next;
    }
    *to = 0;
    return whole;
}
