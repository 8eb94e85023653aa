/* regex.h, the GNU interface: texts with a length, and registers that the caller or the library
 * provides. What a search reads is known when it has ended. */
#include <stdarg.h>
#include "check.h"

#define _REGEX_RE_COMP /* declares re_comp and re_exec */
#include <regex.h>

typedef struct re_pattern_buffer pattern_buffer;
typedef struct re_registers registers;

/* A subject in two parts; the second may be empty. */
struct subject {
    const char *first;
    size_t first_size;
    const char *second;
    size_t second_size;
};

static size_t length_of(long length) { return length > 0 ? (size_t)length : 0; }

/* The bytes [from, to) of the subject have been read. */
static void check_subject(struct site site, struct subject subject, size_t from, size_t to) {
    size_t split = subject.first_size, all = split + subject.second_size;
    if (to > all) to = all;
    if (from < to && from < split)
        check_range(site, subject.first + from, (to < split ? to : split) - from, 0, subject.first);
    if (to > split) {
        size_t begin = from > split ? from - split : 0;
        if (begin < to - split)
            check_range(site, subject.second + begin, to - split - begin, 0, subject.second);
    }
}

/* All registers have been written, whoever made them. */
static void check_registers(struct site site, const pattern_buffer *pattern, registers *found) {
    if (!found || pattern->no_sub) return;
    size_t size = bytes_of(found->num_regs, sizeof *found->start);
    check_range(site, found->start, size, 1, found->start);
    check_range(site, found->end, size, 1, found->end);
}

static void check_pattern(struct site site, const pattern_buffer *pattern, registers *found) {
    check_range(site, pattern, sizeof *pattern, 0, pattern);
    if (found) check_range(site, found, sizeof *found, 1, found);
}

/* A search without a match looked at each place where one could begin. One with a match looked at
 * those before it. */
static void check_search(struct site site, const pattern_buffer *pattern, struct subject subject,
                         regoff_t start, regoff_t range, registers *found, regoff_t at) {
    if (at == -2 || start < 0) return;
    if (at >= 0) check_registers(site, pattern, found);
    long last = at >= 0 ? at : (long)start + range;
    size_t from = length_of(start < last ? start : last);
    check_subject(site, subject, from, length_of(start < last ? last : start));
}

static void check_match(struct site site, const pattern_buffer *pattern, struct subject subject,
                        regoff_t start, registers *found, regoff_t matched) {
    if (matched < 0 || start < 0) return;
    check_registers(site, pattern, found);
    check_subject(site, subject, (size_t)start, (size_t)start + (size_t)matched);
}

WRAP(const char *, re_compile_pattern, (const char *text, size_t length, pattern_buffer *pattern)) {
    USE(text, length);
    WRITE(pattern, sizeof *pattern);
    return re_compile_pattern(text, length, pattern);
}

#define FASTMAP_SIZE 256

WRAP(int, re_compile_fastmap, (pattern_buffer * pattern)) {
    READ(pattern, sizeof *pattern);
    WRITE(pattern->fastmap, FASTMAP_SIZE);
    return re_compile_fastmap(pattern);
}

WRAP(regoff_t, re_search,
     (pattern_buffer * pattern, const char *text, regoff_t length, regoff_t start, regoff_t range,
      registers *found)) {
    check_pattern(SITE, pattern, found);
    regoff_t at = re_search(pattern, text, length, start, range, found);
    struct subject subject = {text, length_of(length), NULL, 0};
    check_search(SITE, pattern, subject, start, range, found, at);
    return at;
}

WRAP(regoff_t, re_search_2,
     (pattern_buffer * pattern, const char *first, regoff_t first_length, const char *second,
      regoff_t second_length, regoff_t start, regoff_t range, registers *found, regoff_t stop)) {
    check_pattern(SITE, pattern, found);
    regoff_t at =
        re_search_2(pattern, first, first_length, second, second_length, start, range, found, stop);
    struct subject subject = {first, length_of(first_length), second, length_of(second_length)};
    check_search(SITE, pattern, subject, start, range, found, at);
    return at;
}

WRAP(regoff_t, re_match,
     (pattern_buffer * pattern, const char *text, regoff_t length, regoff_t start,
      registers *found)) {
    check_pattern(SITE, pattern, found);
    regoff_t matched = re_match(pattern, text, length, start, found);
    struct subject subject = {text, length_of(length), NULL, 0};
    check_match(SITE, pattern, subject, start, found, matched);
    return matched;
}

WRAP(regoff_t, re_match_2,
     (pattern_buffer * pattern, const char *first, regoff_t first_length, const char *second,
      regoff_t second_length, regoff_t start, registers *found, regoff_t stop)) {
    check_pattern(SITE, pattern, found);
    regoff_t matched =
        re_match_2(pattern, first, first_length, second, second_length, start, found, stop);
    struct subject subject = {first, length_of(first_length), second, length_of(second_length)};
    check_match(SITE, pattern, subject, start, found, matched);
    return matched;
}

WRAP(void, re_set_registers,
     (pattern_buffer * pattern, registers *found, __re_size_t count, regoff_t *starts,
      regoff_t *ends)) {
    WRITE(pattern, sizeof *pattern);
    WRITE(found, sizeof *found);
    re_set_registers(pattern, found, count, starts, ends);
}

WRAP(char *, re_comp, (const char *text)) {
    USE_STRING_IF(text);
    return re_comp(text);
}

WRAP(int, re_exec, (const char *text)) {
    READ_STRING(text);
    return re_exec(text);
}
