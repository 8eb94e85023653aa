#include "record.h"
#include "json.h"
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether all components are names, so that simplifying the path changes nothing. */
static int is_simple(const char *path) {
    for (const char *at = path + (path[0] == '/'); at;) {
        size_t size = strcspn(at, "/");
        if (size <= 2 && strncmp(at, "..", size) == 0) return 0;
        at = at[size] ? at + size + 1 : NULL;
    }
    return 1;
}

/* Whether Python's messages have the text as it is, between quotes. */
static int is_printable(const char *text) {
    for (; *text; text++)
        if (*text < ' ' || *text > '~' || *text == '\'' || *text == '\\') return 0;
    return 1;
}

int record_can_say(const struct line *line) {
    for (size_t i = 0; i < line->parts.count; i++)
        if (!json_can_say(line->parts.word[i])) return 0;
    return is_simple(line->source) && line->output[0] && is_printable(line->output);
}

static const char *kind_of(unsigned type, const struct line *line) {
    if (type == ET_REL) return "object";
    for (size_t i = 0; i < line->parts.count; i++)
        if (strcmp(line->parts.word[i], "-shared") == 0) return "shared";
    return type == ET_DYN ? "pie" : "exe";
}

static void put_item(FILE *to, const char *part, const struct plan *plan) {
    const char *items = fact_of(plan, WH_COMPILE_PART, part);
    if (items) {
        fputs(items, to);
        return;
    }
    fputs("{\"t\": \"library\", \"w\": [", to);
    json_string(to, part);
    fputs("], \"p\": \"\"}", to);
}

static void put_source(FILE *to, const char *path, const char *digest) {
    fputs("{\"t\": \"object\", ", to);
    json_field(to, "p", path);
    fprintf(to, "\"m\": [\"%s\"], \"f\": \"\", \"n\": []}", digest);
}

/* NULL if memory runs out. */
static char *text_of(unsigned type, const char *digest, const struct line *line,
                     const struct plan *plan, const char *cwd) {
    char *text = NULL, *source = line_path(line->source, cwd);
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
            put_item(to, part, plan);
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
