/* regex.h, iconv.h, locale.h, libintl.h, search.h: text and tables. */
#include <stdarg.h>
#include "check.h"

#include <iconv.h>
#include <libintl.h>
#include <locale.h>
#include <nl_types.h>
#include <regex.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

/* ---- regular expressions ---- */

WRAP(int, regcomp, (regex_t * expression, const char *pattern, int flags)) {
    WRITE(expression, sizeof *expression);
    USE_STRING(pattern);
    return regcomp(expression, pattern, flags);
}

/* From the begin of a match that REG_STARTEND gives to its end. */
static void check_subject(struct site site, const char *text, const regmatch_t *matches,
                          int flags) {
    if (!(flags & REG_STARTEND)) {
        check_until(site, text, 0, NO_LIMIT);
        return;
    }
    check_range(site, matches, sizeof *matches, 0, matches);
    if (matches->rm_eo > matches->rm_so)
        check_range(site, text + matches->rm_so, (size_t)(matches->rm_eo - matches->rm_so), 0,
                    text);
}

WRAP(int, regexec,
     (const regex_t *expression, const char *text, size_t count, regmatch_t matches[], int flags)) {
    READ(expression, sizeof *expression);
    check_subject(SITE, text, matches, flags);
    int result = regexec(expression, text, count, matches, flags);
    if (result == 0 && count && !expression->no_sub)
        WRITE(matches, bytes_of(count, sizeof *matches));
    return result;
}

WRAP(size_t, regerror, (int code, const regex_t *expression, char *to, size_t size)) {
    READ_IF(expression, sizeof *expression);
    size_t need = regerror(code, expression, NULL, 0);
    if (to && size) WRITE(to, need < size ? need : size);
    return regerror(code, expression, to, size);
}

WRAP(void, regfree, (regex_t * expression)) {
    WRITE(expression, sizeof *expression);
    regfree(expression);
}

/* ---- character sets ---- */

WRAP(iconv_t, iconv_open, (const char *to, const char *from)) {
    USE_STRING(to);
    USE_STRING(from);
    return iconv_open(to, from);
}

/* Of what is refused, the byte behind what is converted was looked at, and of what is incomplete,
 * the rest. */
static size_t refused_read(size_t read, size_t room) {
    if (errno == EILSEQ && read < room) return read + 1;
    return errno == EINVAL ? room : read;
}

/* How much is converted is known afterwards. */
WRAP(size_t, iconv, (iconv_t set, char **from, size_t *from_left, char **to, size_t *to_left)) {
    WRITE_IF(from, sizeof *from);
    WRITE_IF(from_left, sizeof *from_left);
    WRITE_IF(to, sizeof *to);
    WRITE_IF(to_left, sizeof *to_left);
    char *source = from ? *from : NULL, *target = to ? *to : NULL;
    if (source && from_left) check_used(SITE, from_left, sizeof *from_left);
    if (target && to_left) check_used(SITE, to_left, sizeof *to_left);
    size_t room = source && from_left ? *from_left : 0;
    size_t result = iconv(set, from, from_left, to, to_left);
    if (source) {
        size_t read = (size_t)(*from - source);
        USE(source, result == (size_t)-1 ? refused_read(read, room) : read);
    }
    if (target) WROTE(target, (size_t)(*to - target));
    return result;
}

WRAP(wctype_t, wctype, (const char *name)) {
    USE_STRING(name);
    return wctype(name);
}

WRAP(wctrans_t, wctrans, (const char *name)) {
    USE_STRING(name);
    return wctrans(name);
}

/* ---- languages ---- */

WRAP(nl_catd, catopen, (const char *name, int flag)) {
    USE_STRING(name);
    return catopen(name, flag);
}

WRAP(char *, catgets, (nl_catd catalogue, int set, int number, const char *message)) {
    READ_STRING_IF(message);
    return catgets(catalogue, set, number, message);
}

WRAP(int, rpmatch, (const char *answer)) {
    USE_STRING(answer);
    return rpmatch(answer);
}

WRAP(char *, dcngettext,
     (const char *domain, const char *one, const char *more, unsigned long count, int category)) {
    READ_STRING(one);
    READ_STRING(more);
    return dcngettext(domain, one, more, count, category);
}

WRAP(char *, setlocale, (int category, const char *name)) {
    READ_STRING_IF(name);
    return setlocale(category, name);
}

WRAP(locale_t, newlocale, (int mask, const char *name, locale_t base)) {
    READ_STRING(name);
    return newlocale(mask, name, base);
}

#define MESSAGE(name, parameters, call)                                                            \
    WRAP(char *, name, parameters) {                                                               \
        READ_STRING_IF(message);                                                                   \
        return call;                                                                               \
    }

MESSAGE(gettext, (const char *message), gettext(message))
MESSAGE(dgettext, (const char *domain, const char *message), dgettext(domain, message))
MESSAGE(dcgettext, (const char *domain, const char *message, int category),
        dcgettext(domain, message, category))
MESSAGE(textdomain, (const char *message), textdomain(message))
MESSAGE(bindtextdomain, (const char *domain, const char *message), bindtextdomain(domain, message))

#define PLURAL(name, parameters, call)                                                             \
    WRAP(char *, name, parameters) {                                                               \
        READ_STRING(one);                                                                          \
        READ_STRING(more);                                                                         \
        return call;                                                                               \
    }

PLURAL(ngettext, (const char *one, const char *more, unsigned long count),
       ngettext(one, more, count))
PLURAL(dngettext, (const char *domain, const char *one, const char *more, unsigned long count),
       dngettext(domain, one, more, count))

WRAP(char *, bind_textdomain_codeset, (const char *domain, const char *set)) {
    READ_STRING_IF(domain);
    READ_STRING_IF(set);
    return bind_textdomain_codeset(domain, set);
}

/* ---- tables ---- */

typedef int (*comparison)(const void *, const void *);

WRAP(void *, lfind,
     (const void *key, const void *base, size_t *count, size_t size, comparison compare)) {
    READ(count, sizeof *count);
    READ(base, bytes_of(*count, size));
    return lfind(key, base, count, size, compare);
}

WRAP(void *, lsearch,
     (const void *key, void *base, size_t *count, size_t size, comparison compare)) {
    WRITE(count, sizeof *count);
    READ(base, bytes_of(*count, size));
    void *found = lfind(key, base, count, size, compare);
    if (found) return found;
    WRITE((char *)base + bytes_of(*count, size), size);
    READ(key, size);
    return lsearch(key, base, count, size, compare);
}

#define TREE(type, name, root_type)                                                                \
    WRAP(type, name, (const void *key, root_type root, comparison compare)) {                      \
        READ_IF(root, sizeof *root);                                                               \
        return name(key, root, compare);                                                           \
    }

TREE(void *, tsearch, void **)
TREE(void *, tfind, void *const *)
TREE(void *, tdelete, void **)

WRAP(int, hcreate_r, (size_t most, struct hsearch_data *table)) {
    WRITE(table, sizeof *table);
    return hcreate_r(most, table);
}

WRAP(void, hdestroy_r, (struct hsearch_data * table)) {
    WRITE(table, sizeof *table);
    hdestroy_r(table);
}

WRAP(int, hsearch_r, (ENTRY entry, ACTION action, ENTRY **found, struct hsearch_data *table)) {
    USE_STRING(entry.key);
    WRITE(found, sizeof *found);
    WRITE(table, sizeof *table);
    return hsearch_r(entry, action, found, table);
}

WRAP(ENTRY *, hsearch, (ENTRY entry, ACTION action)) {
    USE_STRING(entry.key);
    return hsearch(entry, action);
}
