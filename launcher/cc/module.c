#include "module.h"
#include "json.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_named(const struct plan *plan, const char *flag) {
    return begins_like(plan, WH_COMPILE_NAMED, flag);
}

int module_can_say(const struct line *line, const struct plan *plan, const char *cwd) {
    for (size_t i = 0; i < line->flags.count; i++)
        if (is_named(plan, line->flags.word[i]) && !json_can_say(line->flags.word[i])) return 0;
    return json_can_say(line->source) && json_can_say(cwd);
}

static void put_flags(FILE *to, const struct line *line, const struct plan *plan) {
    const char *separator = "";
    fputs("\"flags\": [", to);
    for (size_t i = 0; i < line->flags.count; i++) {
        if (!is_named(plan, line->flags.word[i])) continue;
        fputs(separator, to);
        json_string(to, line->flags.word[i]);
        separator = ", ";
    }
    fputs("], ", to);
}

/* NULL if memory runs out. */
static char *header(size_t size, const struct line *line, const struct plan *plan,
                    const char *cwd) {
    char *text = NULL, *source = line_path(line->source, cwd);
    size_t length;
    FILE *to = source ? open_memstream(&text, &length) : NULL;
    if (!to) return NULL;
    fputc('{', to);
    json_field(to, "source", source);
    json_field(to, "cwd", cwd);
    json_field(to, "language", strncmp(line->language, "c++", 3) == 0 ? "c++" : "c");
    json_field(to, "opt", line->level);
    put_flags(to, line, plan);
    json_field(to, "frontend", fact(plan, WH_COMPILE_FRONTEND));
    json_field(to, "triple", fact(plan, WH_COMPILE_TARGET));
    json_field(to, "checks", fact(plan, WH_COMPILE_CHECKS));
    fprintf(to, "\"size\": %zu}", size);
    free(source);
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}

int module_pack(struct blob *blob, const uint8_t *bitcode, size_t size, const struct line *line,
                const struct plan *plan, const char *cwd) {
    char *text = header(size, line, plan, cwd);
    struct content content = {.magic = WH_COMPILE_MAGIC,
                              .level = WH_COMPILE_COMPRESSION,
                              .header = text,
                              .data = bitcode,
                              .size = size};
    int done = text && blob_pack(blob, plan, &content);
    free(text);
    return done;
}
