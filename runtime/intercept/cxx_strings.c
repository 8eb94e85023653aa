/* std::string: what its functions copy that are compiled into libstdc++. Headers have the others,
 * which are instrumented with the program. */
#include <stdarg.h>
#include <stdint.h>
#include "check.h"
#include "cxx_buffers.h"
#include "cxx_strings.h"
#include "../origins/cells.h"
#include "../origins/printing.h"
#include "../replace/cxx.h"

#include <string.h>

/* A part of a string is replaced by a text of so many bytes; NULL: it is not known which. */
struct splice {
    struct whence_origin_site *call; /* NULL: no chains are asked for */
    int is_followed;                 /* somebody wants to know what is copied */
    const struct cxx_string *string;
    struct cxx_string before;
    size_t at, cut;
    const char *from;
    size_t size;
};

/* The size of a string, which is checked first. */
static size_t size_of(struct site site, const struct cxx_string *string) {
    check_range(site, string, sizeof *string, 0, string);
    return is_there(string, sizeof *string) ? string->size : 0;
}

static struct splice splice_begin(struct site site, const struct cxx_string *string, size_t at,
                                  size_t cut, const char *from, size_t size) {
    struct splice splice = {.string = string, .at = at, .cut = cut, .from = from, .size = size};
    check_range(site, string, sizeof *string, 1, string);
    if (from) check_range(site, from, size, 0, from);
    int is_heard = IS_HEARD(copied);
    if ((!ORIGINS_ON && !is_heard) || !is_there(string, sizeof *string)) return splice;
    if (ORIGINS_ON) splice.call = written_call(site.function);
    splice.is_followed = splice.call || is_heard;
    if (!splice.is_followed) return splice;
    splice.before = *string;
    size_t most = at < string->size ? string->size - at : 0;
    if (splice.cut > most) splice.cut = most;
    return splice;
}

/* The text was a part of the string itself, which may have moved. */
static int is_own(const struct splice *splice) {
    uintptr_t begin = (uintptr_t)splice->before.begin, from = (uintptr_t)splice->from;
    return from - begin <= splice->before.size;
}

static void tell_copy(const struct splice *splice, uintptr_t to, uintptr_t from, size_t size) {
    if (splice->call) __whence_origin_copy(printing_copy(splice->call), to, from, size);
    announce_copied(to, from, size);
}

/* What stays: the begin, if it lies elsewhere now, and the end. */
static void keep_rest(const struct splice *splice) {
    const struct cxx_string *now = splice->string, *before = &splice->before;
    uintptr_t to = (uintptr_t)now->begin, from = (uintptr_t)before->begin;
    size_t end = splice->at + splice->cut, rest = before->size - end;
    uintptr_t target = to + splice->at + splice->size;
    if (rest && target != from + end) tell_copy(splice, target, from + end, rest);
    if (splice->at && to != from) tell_copy(splice, to, from, splice->at);
}

static int has_happened(const struct splice *splice) {
    const struct cxx_string *before = &splice->before;
    if (splice->at > before->size) return 0;
    return splice->string->size == before->size - splice->cut + splice->size;
}

/* The bytes that are new, of which nothing else is known yet; NULL: there are none. */
static const char *spliced(const struct splice *splice) {
    if (!splice->is_followed || !has_happened(splice)) return NULL;
    keep_rest(splice);
    if (!splice->size) return NULL;
    const char *to = splice->string->begin + splice->at;
    if (splice->call) cells_written(splice->call, (uintptr_t)to, splice->size);
    announce_filled((uintptr_t)to, splice->size);
    return to;
}

static void splice_end(const struct splice *splice) {
    const char *to = spliced(splice);
    if (!to || !splice->from || is_own(splice) || memcmp(to, splice->from, splice->size)) return;
    if (splice->call)
        printing_text(splice->call, (uintptr_t)to, (uintptr_t)splice->from, splice->size);
    announce_copied((uintptr_t)to, (uintptr_t)splice->from, splice->size);
}

/* They are copies of a character, the argument of this number. */
static void splice_filled(const struct splice *splice, unsigned index, char byte) {
    const char *to = spliced(splice);
    if (to && splice->call)
        printing_argument(splice->call, (uintptr_t)to, splice->size, index, (uint8_t)byte, 1);
}

#define AT(title) ((struct site){title, FRAME_HERE})

/* ---- the functions ---- */

#define APPEND _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm
#define ASSIGN _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_assignERKS4_
#define REPLACE _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_replaceEmmPKcm
#define REPLACE_BYTES _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE14_M_replace_auxEmmmc
#define MUTATE _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_mutateEmmPKcm
#define CONSTRUCT _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructEmc
#define ERASE _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE8_M_eraseEmm
#define RESIZE _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6resizeEmc
#define RESERVE _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7reserveEm
#define COPY _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4copyEPcmm
#define WRAP_NAMED(type, name, parameters) WRAP(type, name, parameters)
#define CALL(type, name, parameters) CXX_FUNCTION(type, name, parameters)

WRAP_NAMED(void *, APPEND, (struct cxx_string * self, const char *from, size_t size)) {
    struct site site = AT("std::string::append");
    struct splice splice = splice_begin(site, self, size_of(site, self), 0, from, size);
    void *result = CALL(void *, APPEND, (void *, const char *, size_t))(self, from, size);
    splice_end(&splice);
    return result;
}

WRAP_NAMED(void, ASSIGN, (struct cxx_string * self, const struct cxx_string *other)) {
    struct site site = AT("std::string::assign");
    size_t size = size_of(site, other);
    const char *from = size ? other->begin : NULL;
    struct splice splice = splice_begin(site, self, 0, SIZE_MAX, from, size);
    if (self == other) splice.is_followed = 0;
    CALL(void, ASSIGN, (void *, const void *))(self, other);
    splice_end(&splice);
}

WRAP_NAMED(void *, REPLACE,
           (struct cxx_string * self, size_t at, size_t cut, const char *from, size_t size)) {
    struct site site = AT("std::string::replace");
    struct splice splice = splice_begin(site, self, at, cut, from, size);
    void *result = CALL(void *, REPLACE,
                        (void *, size_t, size_t, const char *, size_t))(self, at, cut, from, size);
    splice_end(&splice);
    return result;
}

WRAP_NAMED(void *, REPLACE_BYTES,
           (struct cxx_string * self, size_t at, size_t cut, size_t size, char byte)) {
    struct site site = AT("std::string::replace");
    struct splice splice = splice_begin(site, self, at, cut, NULL, size);
    void *result = CALL(void *, REPLACE_BYTES,
                        (void *, size_t, size_t, size_t, char))(self, at, cut, size, byte);
    splice_filled(&splice, 4, byte);
    return result;
}

/* Only makes room, if there is no text, and leaves the size to its caller. */
WRAP_NAMED(void, MUTATE,
           (struct cxx_string * self, size_t at, size_t cut, const char *from, size_t size)) {
    struct site site = AT("std::string::insert");
    struct splice splice = splice_begin(site, self, at, cut, from, size);
    CALL(void, MUTATE, (void *, size_t, size_t, const char *, size_t))(self, at, cut, from, size);
    struct cxx_string now = {self->begin, splice.before.size - splice.cut + size};
    splice.string = &now;
    splice_end(&splice);
}

WRAP_NAMED(void, CONSTRUCT, (struct cxx_string * self, size_t size, char byte)) {
    struct splice splice = splice_begin(AT("std::string::string"), self, 0, 0, NULL, size);
    splice.before = (struct cxx_string){NULL, 0};
    splice.cut = 0;
    CALL(void, CONSTRUCT, (void *, size_t, char))(self, size, byte);
    splice_filled(&splice, 2, byte);
}

WRAP_NAMED(void, ERASE, (struct cxx_string * self, size_t at, size_t cut)) {
    struct splice splice = splice_begin(AT("std::string::erase"), self, at, cut, NULL, 0);
    CALL(void, ERASE, (void *, size_t, size_t))(self, at, cut);
    splice_end(&splice);
}

WRAP_NAMED(void, RESIZE, (struct cxx_string * self, size_t size, char byte)) {
    struct site site = AT("std::string::resize");
    size_t before = size_of(site, self), more = size > before ? size - before : 0;
    struct splice splice =
        splice_begin(site, self, more ? before : size, more ? 0 : SIZE_MAX, NULL, more);
    CALL(void, RESIZE, (void *, size_t, char))(self, size, byte);
    splice_filled(&splice, 2, byte);
}

WRAP_NAMED(void, RESERVE, (struct cxx_string * self, size_t size)) {
    struct site site = AT("std::string::reserve");
    struct splice splice = splice_begin(site, self, size_of(site, self), 0, NULL, 0);
    CALL(void, RESERVE, (void *, size_t))(self, size);
    splice_end(&splice);
}

WRAP_NAMED(size_t, COPY, (const struct cxx_string *self, char *to, size_t most, size_t at)) {
    struct site site = AT("std::string::copy");
    size_t whole = size_of(site, self), rest = at < whole ? whole - at : 0,
           size = most < rest ? most : rest;
    check_range(site, to, size, 1, to);
    struct whence_origin_site *call = ORIGINS_ON ? written_call(site.function) : NULL;
    size_t result = CALL(size_t, COPY, (const void *, char *, size_t, size_t))(self, to, most, at);
    announce_copied((uintptr_t)to, (uintptr_t)self->begin + at, result);
    if (call && result) {
        cells_written(call, (uintptr_t)to, result);
        printing_text(call, (uintptr_t)to, (uintptr_t)self->begin + at, result);
    }
    return result;
}

/* ---- streams of a copy of a string ---- */

#define INPUT_STREAM                                                                               \
    _ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode
#define STREAM_OF_BOTH                                                                             \
    _ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode

static void stream_begun(struct site site, const void *stream, const struct cxx_string *text) {
    struct whence_origin_site *call = ORIGINS_ON ? written_call(site.function) : NULL;
    const struct cxx_buffer *buffer = call || IS_HEARD(copied) ? buffer_of(stream) : NULL;
    if (buffer_kind(buffer) != BUFFER_TEXT || !buffer->get_begin || !text->size) return;
    if ((size_t)(buffer->get_end - buffer->get_begin) != text->size) return;
    if (call) cells_written(call, (uintptr_t)buffer->get_begin, text->size);
    if (memcmp(buffer->get_begin, text->begin, text->size)) return;
    if (call) printing_text(call, (uintptr_t)buffer->get_begin, (uintptr_t)text->begin, text->size);
    announce_copied((uintptr_t)buffer->get_begin, (uintptr_t)text->begin, text->size);
}

#define BEGIN_STREAM(name, title)                                                                  \
    WRAP_NAMED(void, name, (void *self, const struct cxx_string *text, int mode)) {                \
        struct site site = AT(title);                                                              \
        if (size_of(site, text)) check_range(site, text->begin, text->size, 0, text->begin);       \
        CALL(void, name, (void *, const void *, int))(self, text, mode);                           \
        stream_begun(site, self, text);                                                            \
    }

BEGIN_STREAM(INPUT_STREAM, "std::istringstream")
BEGIN_STREAM(STREAM_OF_BOTH, "std::stringstream")
