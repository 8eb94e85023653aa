#include "module.h"
#include "sha256.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The parts of zlib's interface that are used. */
static unsigned long (*compress_bound)(unsigned long size);
static int (*compress_into)(uint8_t *into, unsigned long *room, const uint8_t *data,
                            unsigned long size, int level);

int module_prepare(void) {
    void *library = dlopen("libz.so.1", RTLD_LAZY);
    if (!library) return 0;
    *(void **)&compress_bound = dlsym(library, "compressBound");
    *(void **)&compress_into = dlsym(library, "compress2");
    return compress_bound && compress_into;
}

static int is_ascii(const char *text) {
    for (; *text; text++)
        if (*text & 0x80) return 0;
    return 1;
}

int module_can_say(const struct line *line, const struct plan *plan, const char *cwd) {
    for (size_t i = 0; i < line->flags.count; i++)
        if (is_named(plan, line->flags.word[i]) && !is_ascii(line->flags.word[i])) return 0;
    return is_ascii(line->source) && is_ascii(cwd);
}

/* ---- JSON ---- */

static void put_string(FILE *to, const char *text) {
    fputc('"', to);
    for (; *text; text++) {
        static const char escaped[] = "\"\\\b\f\n\r\t", as[] = "\"\\bfnrt";
        const char *known = strchr(escaped, *text);
        if (known)
            fprintf(to, "\\%c", as[known - escaped]);
        else if (*text < ' ' || *text > '~')
            fprintf(to, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, to);
    }
    fputc('"', to);
}

static void put_field(FILE *to, const char *name, const char *text) {
    fprintf(to, "\"%s\": ", name);
    put_string(to, text);
    fputs(", ", to);
}

static void put_source(FILE *to, const char *cwd, const char *source) {
    size_t size = strlen(cwd);
    char *path = NULL;
    const char *slash = size && cwd[size - 1] == '/' ? "" : "/";
    if (source[0] == '/')
        put_field(to, "source", source);
    else if (asprintf(&path, "%s%s%s", cwd, slash, source) >= 0)
        put_field(to, "source", path);
    free(path);
}

static void put_flags(FILE *to, const struct line *line, const struct plan *plan) {
    const char *separator = "";
    fputs("\"flags\": [", to);
    for (size_t i = 0; i < line->flags.count; i++) {
        if (!is_named(plan, line->flags.word[i])) continue;
        fputs(separator, to);
        put_string(to, line->flags.word[i]);
        separator = ", ";
    }
    fputs("], ", to);
}

static char *header(size_t *length, size_t size, const struct line *line, const struct plan *plan,
                    const char *cwd) {
    char *text = NULL;
    FILE *to = open_memstream(&text, length);
    if (!to) return NULL;
    fputc('{', to);
    put_source(to, cwd, line->source);
    put_field(to, "cwd", cwd);
    put_field(to, "language", strncmp(line->language, "c++", 3) == 0 ? "c++" : "c");
    put_field(to, "opt", line->level);
    put_flags(to, line, plan);
    put_field(to, "frontend", fact(plan, WH_COMPILE_FRONTEND));
    put_field(to, "triple", fact(plan, WH_COMPILE_TARGET));
    fprintf(to, "\"size\": %zu}", size);
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}

/* ---- the blob ---- */

struct prefix {
    char magic[8];
    uint32_t version, header;
    uint64_t payload;
    uint8_t digest[32];
};

int module_pack(struct blob *blob, const uint8_t *bitcode, size_t size, const struct line *line,
                const struct plan *plan, const char *cwd) {
    size_t length = 0;
    char *text = header(&length, size, line, plan, cwd);
    unsigned long payload = compress_bound(size);
    size_t before = sizeof(struct prefix) + length;
    if (!text || !(blob->data = malloc(before + payload))) return 0;
    if (compress_into(blob->data + before, &payload, bitcode, size,
                      atoi(fact(plan, WH_COMPILE_COMPRESSION))) != 0)
        return 0;
    struct prefix prefix = {.version = (uint32_t)atoi(fact(plan, WH_COMPILE_VERSION)),
                            .header = (uint32_t)length,
                            .payload = payload};
    memcpy(prefix.magic, fact(plan, WH_COMPILE_MAGIC), sizeof prefix.magic);
    sha256(blob->data + before, payload, prefix.digest);
    memcpy(blob->data, &prefix, sizeof prefix);
    memcpy(blob->data + sizeof prefix, text, length);
    free(text);
    blob->size = before + payload;
    return 1;
}
