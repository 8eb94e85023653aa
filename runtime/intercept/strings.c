/* string.h: strings. */
#include <stdarg.h>
#include "check.h"
#include "../replace/allocate.h"
#include "../replace/replaced.h"

#include <errno.h>
#include <locale.h>
#include <string.h>
#include <strings.h>

/* ---- length and copy ---- */

WRAP(size_t, strlen, (const char *string)) {
    USE_STRING(string);
    return strlen(string);
}

WRAP(size_t, strnlen, (const char *string, size_t most)) {
    USE_STRING_N(string, most);
    return strnlen(string, most);
}

/* With the final 0. */
#define COPY_STRING(to, from)                                                                      \
    size_t copied = READ_STRING(from) + 1;                                                         \
    WRITE(to, copied);                                                                             \
    APART(to, copied, from, copied);                                                               \
    COPIES(to, from, copied)

/* The same behind the string at `to`: at most `most` bytes, and a 0. */
#define APPEND_STRING(to, from, most)                                                              \
    size_t length = USE_STRING(to), count = READ_STRING_N(from, most);                             \
    WRITE_AT((to) + length, count + 1, to);                                                        \
    APART((to) + length, count + 1, from, count < (most) ? count + 1 : count);                     \
    COPIES((to) + length, from, count);                                                            \
    FILLS((to) + length + count, 1)

/* As much as fits in `size` bytes, the last of them a 0. */
static void check_fitting(struct site site, const char *to, size_t size, const char *root,
                          const char *from, size_t count) {
    if (!size) return;
    size_t written = count < size ? count + 1 : size, read = count < size ? written : written - 1;
    check_range(site, to, written, 1, root);
    check_apart(site, to, written, from, read);
    COPIES(to, from, written - 1);
    FILLS(to + written - 1, 1);
}

WRAP(char *, strcpy, (char *to, const char *from)) {
    COPY_STRING(to, from);
    return strcpy(to, from);
}

WRAP(char *, stpcpy, (char *to, const char *from)) {
    COPY_STRING(to, from);
    return stpcpy(to, from);
}

WRAP(char *, __stpcpy, (char *to, const char *from)) {
    COPY_STRING(to, from);
    return stpcpy(to, from);
}

WRAP(char *, strncpy, (char *to, const char *from, size_t size)) {
    size_t length = READ_STRING_N(from, size), copied = length < size ? length + 1 : size;
    WRITE(to, size);
    APART(to, copied, from, copied);
    COPIES(to, from, copied);
    FILLS(to + copied, size - copied);
    return strncpy(to, from, size);
}

WRAP(char *, stpncpy, (char *to, const char *from, size_t size)) {
    size_t length = READ_STRING_N(from, size), copied = length < size ? length + 1 : size;
    WRITE(to, size);
    APART(to, copied, from, copied);
    COPIES(to, from, copied);
    FILLS(to + copied, size - copied);
    return stpncpy(to, from, size);
}

WRAP(char *, strcat, (char *to, const char *from)) {
    APPEND_STRING(to, from, NO_LIMIT);
    return strcat(to, from);
}

WRAP(char *, strncat, (char *to, const char *from, size_t most)) {
    APPEND_STRING(to, from, most);
    return strncat(to, from, most);
}

/* In the C library from 2.38 on; a program that calls them elsewhere has its own. */
size_t strlcpy(char *, const char *, size_t) __attribute__((weak));
WRAP(size_t, strlcpy, (char *to, const char *from, size_t size)) {
    size_t length = READ_STRING(from);
    check_fitting(SITE, to, size, to, from, length);
    return strlcpy(to, from, size);
}

size_t strlcat(char *, const char *, size_t) __attribute__((weak));
WRAP(size_t, strlcat, (char *to, const char *from, size_t size)) {
    size_t length = READ_STRING_N(to, size), more = READ_STRING(from);
    check_fitting(SITE, to + length, size - length, to, from, more);
    return strlcat(to, from, size);
}

static char *duplicate(struct site site, const char *string, size_t length) {
    void *(*own)(size_t) = replaced_malloc();
    char *copy = WH_UNLIKELY(own != NULL)
                     ? own(length + 1)
                     : allocate_sized(length + 1, WH_FAMILY_MALLOC, 0, site.frame);
    if (!copy) return NULL;
    COPIES(copy, string, length);
    FILLS(copy + length, 1);
    wh_copy(copy, string, length);
    copy[length] = 0;
    return copy;
}

WRAP(char *, strdup, (const char *string)) { return duplicate(SITE, string, READ_STRING(string)); }

WRAP(char *, __strdup, (const char *string)) {
    return duplicate(SITE, string, READ_STRING(string));
}

WRAP(char *, strndup, (const char *string, size_t most)) {
    return duplicate(SITE, string, READ_STRING_N(string, most));
}

WRAP(char *, __strndup, (const char *string, size_t most)) {
    return duplicate(SITE, string, READ_STRING_N(string, most));
}

/* ---- comparison ---- */

WRAP(int, strcmp, (const char *a, const char *b)) {
    check_compare(SITE, a, b, NO_LIMIT, 0);
    return strcmp(a, b);
}

WRAP(int, strncmp, (const char *a, const char *b, size_t most)) {
    check_compare(SITE, a, b, most, 0);
    return strncmp(a, b, most);
}

WRAP(int, strcasecmp, (const char *a, const char *b)) {
    check_compare(SITE, a, b, NO_LIMIT, 1);
    return strcasecmp(a, b);
}

WRAP(int, strncasecmp, (const char *a, const char *b, size_t most)) {
    check_compare(SITE, a, b, most, 1);
    return strncasecmp(a, b, most);
}

WRAP(int, strcasecmp_l, (const char *a, const char *b, locale_t locale)) {
    check_compare(SITE, a, b, NO_LIMIT, 1);
    return strcasecmp_l(a, b, locale);
}

WRAP(int, strncasecmp_l, (const char *a, const char *b, size_t most, locale_t locale)) {
    check_compare(SITE, a, b, most, 1);
    return strncasecmp_l(a, b, most, locale);
}

WRAP(int, strverscmp, (const char *a, const char *b)) {
    check_compare(SITE, a, b, NO_LIMIT, 0);
    return strverscmp(a, b);
}

WRAP(int, strcoll, (const char *a, const char *b)) {
    USE_STRING(a);
    USE_STRING(b);
    return strcoll(a, b);
}

WRAP(int, strcoll_l, (const char *a, const char *b, locale_t locale)) {
    USE_STRING(a);
    USE_STRING(b);
    return strcoll_l(a, b, locale);
}

WRAP(size_t, strxfrm, (char *to, const char *from, size_t size)) {
    READ_STRING(from);
    if (size) {
        size_t need = strxfrm(NULL, from, 0) + 1;
        WRITE(to, need < size ? need : size);
    }
    return strxfrm(to, from, size);
}

/* ---- search ---- */

/* A search stops at the byte it looks for, or at the end of the string. */
static void check_search(struct site site, const char *string, int byte) {
    int found;
    size_t count = readable_until_either(string, 0, (char)byte, NO_LIMIT, &found);
    if (found)
        check_used(site, string, count);
    else
        check_range(site, string, count + 1, 0, string);
}

WRAP(char *, strchr, (const char *string, int byte)) {
    check_search(SITE, string, byte);
    return strchr(string, byte);
}

WRAP(char *, index, (const char *string, int byte)) {
    check_search(SITE, string, byte);
    return index(string, byte);
}

WRAP(char *, strchrnul, (const char *string, int byte)) {
    check_search(SITE, string, byte);
    return strchrnul(string, byte);
}

WRAP(char *, strrchr, (const char *string, int byte)) {
    USE_STRING(string);
    return strrchr(string, byte);
}

WRAP(char *, rindex, (const char *string, int byte)) {
    USE_STRING(string);
    return rindex(string, byte);
}

/* The begin of a text, where a search most often ends. Whoever searches a long text again and
 * again, from each hit on, does not have it looked at to its end each time. */
#define WINDOW 256u

/* Whether the text goes on behind its first bytes, of which `window` is a copy then. As it may be
 * the whole text, *count and *found are those of readable_until. */
static int goes_on(const char *string, char window[WINDOW + 1], size_t *count, int *found) {
    *count = readable_until(string, 0, WINDOW, found);
    if (*found || *count < WINDOW) return 0;
    wh_copy(window, string, WINDOW);
    window[WINDOW] = 0;
    return 1;
}

/* What a search passes: bytes of a set, others, or the ones and then the others, as before and in a
 * token. */
enum passed { OF_SET, OTHERS, TOKEN };

static size_t end_of(const char *text, const char *set, enum passed passed) {
    size_t begin = passed == OTHERS ? 0 : strspn(text, set);
    return passed == OF_SET ? begin : begin + strcspn(text + begin, set);
}

/* The same in so many bytes, of which none is 0. */
static size_t end_within(const char *text, size_t count, const char *set, enum passed passed) {
    size_t at = 0;
    if (passed != OTHERS)
        while (at < count && strchr(set, text[at])) at++;
    if (passed != OF_SET)
        while (at < count && !strchr(set, text[at])) at++;
    return at;
}

/* A string that is not terminated is still well searched if the hit comes before its end. */
static void check_passed(struct site site, const char *string, const char *set,
                         enum passed passed) {
    char window[WINDOW + 1];
    size_t count, end;
    int found;
    check_used_until(site, set, 0, NO_LIMIT);
    if (goes_on(string, window, &count, &found)) {
        end = end_of(window, set, passed);
        if (end < WINDOW) {
            check_used(site, string, end + 1);
            return;
        }
        count = readable_until(string, 0, NO_LIMIT, &found);
    }
    if (found)
        check_used(site, string, end_of(string, set, passed) + 1);
    else if (end_within(string, count, set, passed) == count)
        check_range(site, string, count + 1, 0, string);
}

WRAP(size_t, strspn, (const char *string, const char *set)) {
    check_passed(SITE, string, set, OF_SET);
    return strspn(string, set);
}

WRAP(size_t, strcspn, (const char *string, const char *set)) {
    check_passed(SITE, string, set, OTHERS);
    return strcspn(string, set);
}

WRAP(char *, strpbrk, (const char *string, const char *set)) {
    check_passed(SITE, string, set, OTHERS);
    return strpbrk(string, set);
}

/* The same of a search for a part of the string. */
static void check_part(struct site site, const char *string, const char *part,
                       char *(*find)(const char *, const char *),
                       int (*compare)(const char *, const char *, size_t)) {
    char window[WINDOW + 1];
    size_t length = check_used_until(site, part, 0, NO_LIMIT), count;
    int found;
    if (goes_on(string, window, &count, &found)) {
        if (find(window, part)) return;
        count = readable_until(string, 0, NO_LIMIT, &found);
    }
    if (WH_LIKELY(found)) return;
    for (size_t i = 0; length <= count && i <= count - length; i++)
        if (!compare(string + i, part, length)) return;
    check_range(site, string, count + 1, 0, string);
}

WRAP(char *, strstr, (const char *string, const char *part)) {
    check_part(SITE, string, part, strstr, strncmp);
    return strstr(string, part);
}

WRAP(char *, strcasestr, (const char *string, const char *part)) {
    check_part(SITE, string, part, strcasestr, strncasecmp);
    return strcasestr(string, part);
}

/* The next token of a string, if there is one. */
static void check_token(struct site site, const char *string, const char *set, enum passed passed) {
    if (string)
        check_passed(site, string, set, passed);
    else
        check_used_until(site, set, 0, NO_LIMIT);
}

WRAP(char *, strtok, (char *string, const char *set)) {
    check_token(SITE, string, set, TOKEN);
    return strtok(string, set);
}

WRAP(char *, strtok_r, (char *string, const char *set, char **rest)) {
    WRITE(rest, sizeof *rest);
    check_token(SITE, string ? string : *rest, set, TOKEN);
    return strtok_r(string, set, rest);
}

char *__strtok_r(char *, const char *, char **);
WRAP(char *, __strtok_r, (char *string, const char *set, char **rest)) {
    WRITE(rest, sizeof *rest);
    check_token(SITE, string ? string : *rest, set, TOKEN);
    return __strtok_r(string, set, rest);
}

WRAP(char *, strsep, (char **string, const char *set)) {
    WRITE(string, sizeof *string);
    check_token(SITE, *string, set, OTHERS);
    return strsep(string, set);
}

/* ---- messages ---- */

WRAP(char *, strerror_r, (int number, char *buffer, size_t size)) {
    char *message = strerror_r(number, buffer, size);
    if (message == buffer && size) WROTE(buffer, strnlen(buffer, size - 1) + 1);
    return message;
}

int __xpg_strerror_r(int, char *, size_t);
WRAP(int, __xpg_strerror_r, (int number, char *buffer, size_t size)) {
    int result = __xpg_strerror_r(number, buffer, size);
    if (size) WROTE(buffer, strnlen(buffer, size - 1) + 1);
    return result;
}

/* ---- with the destination's size known to the compiler ---- */

char *__strcpy_chk(char *, const char *, size_t);
WRAP(char *, __strcpy_chk, (char *to, const char *from, size_t room)) {
    COPY_STRING(to, from);
    return __strcpy_chk(to, from, room);
}

char *__stpcpy_chk(char *, const char *, size_t);
WRAP(char *, __stpcpy_chk, (char *to, const char *from, size_t room)) {
    COPY_STRING(to, from);
    return __stpcpy_chk(to, from, room);
}

char *__strncpy_chk(char *, const char *, size_t, size_t);
WRAP(char *, __strncpy_chk, (char *to, const char *from, size_t size, size_t room)) {
    size_t length = READ_STRING_N(from, size), copied = length < size ? length + 1 : size;
    WRITE(to, size);
    APART(to, copied, from, copied);
    COPIES(to, from, copied);
    FILLS(to + copied, size - copied);
    return __strncpy_chk(to, from, size, room);
}

char *__stpncpy_chk(char *, const char *, size_t, size_t);
WRAP(char *, __stpncpy_chk, (char *to, const char *from, size_t size, size_t room)) {
    size_t length = READ_STRING_N(from, size), copied = length < size ? length + 1 : size;
    WRITE(to, size);
    APART(to, copied, from, copied);
    COPIES(to, from, copied);
    FILLS(to + copied, size - copied);
    return __stpncpy_chk(to, from, size, room);
}

char *__strcat_chk(char *, const char *, size_t);
WRAP(char *, __strcat_chk, (char *to, const char *from, size_t room)) {
    APPEND_STRING(to, from, NO_LIMIT);
    return __strcat_chk(to, from, room);
}

char *__strncat_chk(char *, const char *, size_t, size_t);
WRAP(char *, __strncat_chk, (char *to, const char *from, size_t most, size_t room)) {
    APPEND_STRING(to, from, most);
    return __strncat_chk(to, from, most, room);
}

WRAP(size_t, strxfrm_l, (char *to, const char *from, size_t size, locale_t locale)) {
    READ_STRING(from);
    if (size) {
        size_t need = strxfrm_l(NULL, from, 0, locale) + 1;
        WRITE(to, need < size ? need : size);
    }
    return strxfrm_l(to, from, size, locale);
}

/* That of string.h; that of libgen.h is __xpg_basename. */
WRAP(char *, basename, (const char *path)) {
    USE_STRING(path);
    return basename(path);
}
