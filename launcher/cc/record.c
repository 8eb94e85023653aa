#include "record.h"
#include "json.h"
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Whether Python's messages have the text as it is, between quotes. */
static int is_printable(const char *text) {
    for (; *text; text++)
        if (*text < ' ' || *text > '~' || *text == '\'' || *text == '\\') return 0;
    return 1;
}

/* ---- libraries in the folders of the line ---- */

static int is_static(const struct line *line) {
    for (size_t i = 0; i < line->parts.count; i++)
        if (strcmp(line->parts.word[i], "-static") == 0) return 1;
    return 0;
}

static int is_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* The path of the library -lNAME in a folder; NULL if it is not there. */
static char *library_in(const char *folder, const char *name, int no_shared) {
    static const char *const forms[] = {"%s%slib%s.so", "%s%slib%s.a"};
    const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
    char *path = NULL;
    if (*name == ':') {
        if (asprintf(&path, "%s%s%s", folder, slash, name + 1) >= 0 && is_file(path)) return path;
        return NULL;
    }
    for (int i = no_shared; i < 2; i++)
        if (asprintf(&path, forms[i], folder, slash, name) >= 0 && is_file(path)) return path;
    return NULL;
}

/* The same in the first folder of the line that has it. */
static char *library_of(const char *part, const struct line *line) {
    char *path = NULL;
    for (size_t i = 0; !path && i < line->parts.count; i++)
        if (strncmp(line->parts.word[i], "-L", 2) == 0)
            path = library_in(line->parts.word[i] + 2, part + 2, is_static(line));
    return path;
}

static int is_archive(const char *path) {
    char start[8] = "";
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(start, 1, sizeof start, file) : 0;
    if (file) fclose(file);
    return size == sizeof start &&
           (memcmp(start, "!<arch>\n", 8) == 0 || memcmp(start, "!<thin>\n", 8) == 0);
}

/* Whether no library is an archive, whose members Python reads. */
static int are_readable(const struct line *line) {
    for (size_t i = 0; i < line->parts.count; i++) {
        const char *part = line->parts.word[i];
        char *path = strncmp(part, "-l", 2) == 0 ? library_of(part, line) : NULL;
        int archive = path && is_archive(path);
        free(path);
        if (archive) return 0;
    }
    return 1;
}

int record_can_say(const struct line *line) {
    for (size_t i = 0; i < line->parts.count; i++)
        if (!json_can_say(line->parts.word[i])) return 0;
    return line->output[0] && is_printable(line->output) && are_readable(line);
}

static const char *kind_of(unsigned type, const struct line *line) {
    if (type == ET_REL) return "object";
    for (size_t i = 0; i < line->parts.count; i++)
        if (strcmp(line->parts.word[i], "-shared") == 0) return "shared";
    return type == ET_DYN ? "pie" : "exe";
}

/* The last field of an item: a path below the working directory, simplified. */
static void put_path(FILE *to, const char *path, const char *cwd) {
    char *whole = path ? line_simple_path(path, cwd) : NULL;
    fputs("\"p\": ", to);
    json_string(to, whole ? whole : "");
    fputc('}', to);
    free(whole);
}

static void put_item(FILE *to, const char *part, const struct line *line, const struct plan *plan,
                     const char *cwd) {
    const char *items = fact_of(plan, WH_COMPILE_PART, part);
    if (items) {
        fputs(items, to);
    } else if (strncmp(part, "-L", 2) == 0) {
        fputs("{\"t\": \"search\", ", to);
        put_path(to, part + 2, cwd);
    } else {
        char *path = library_of(part, line);
        fputs("{\"t\": \"library\", \"w\": [", to);
        json_string(to, part);
        fputs("], ", to);
        put_path(to, path, cwd);
        free(path);
    }
}

static void put_source(FILE *to, const char *path, const char *digest) {
    fputs("{\"t\": \"object\", ", to);
    json_field(to, "p", path);
    fprintf(to, "\"m\": [\"%s\"], \"f\": \"\", \"n\": []}", digest);
}

/* NULL if memory runs out. */
static char *text_of(unsigned type, const char *digest, const struct line *line,
                     const struct plan *plan, const char *cwd) {
    char *text = NULL, *source = line_simple_path(line->source, cwd);
    size_t length;
    FILE *to = source ? open_memstream(&text, &length) : NULL;
    if (!to) return NULL;
    fprintf(to, "{\"version\": %s, ", fact(plan, WH_COMPILE_VERSION));
    json_field(to, "kind", kind_of(type, line));
    fprintf(to, "\"cxx\": %s, ", fact(plan, WH_COMPILE_CXX));
    json_field(to, "cwd", cwd);
    json_field(to, "frontend", fact(plan, WH_COMPILE_FRONTEND));
    fputs("\"items\": [", to);
    for (size_t i = 0; i < line->parts.count; i++) {
        const char *part = line->parts.word[i];
        if (i) fputs(", ", to);
        if (part == line->source)
            put_source(to, source, digest);
        else
            put_item(to, part, line, plan, cwd);
    }
    fputs("], \"files\": {}}", to);
    free(source);
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}

int record_pack(struct blob *blob, unsigned type, const char *digest, const struct line *line,
                const struct plan *plan, const char *cwd) {
    char *text = text_of(type, digest, line, plan, cwd);
    struct content content = {.magic = WH_COMPILE_RECORD_MAGIC,
                              .level = WH_COMPILE_RECORD_COMPRESSION,
                              .counted = 1,
                              .data = text,
                              .size = text ? strlen(text) : 0};
    int done = text && blob_pack(blob, plan, &content);
    free(text);
    return done;
}
