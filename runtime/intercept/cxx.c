/* iostream and condition variables: what the C++ library reads from and stores in the program's
 * buffers. Its strings and containers need nothing here: they are templates, and instrumented with
 * the program (but for nodes: cxx_nodes.c).
 *
 * `self` is the stream, by the convention of member functions; names and layout of
 * strings are those of libstdc++.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include "check.h"
#include "cxx_buffers.h"
#include "cxx_strings.h"
#include "../replace/cxx.h"

static struct site named(const char *name, const struct frame *frame) {
    return (struct site){name, frame};
}

static size_t positive(ptrdiff_t size) { return size > 0 ? (size_t)size : 0; }

/* Characters that the last unformatted input took from the stream. */
static size_t taken(const void *stream) {
    return positive(CXX_FUNCTION(ptrdiff_t, _ZNKSi6gcountEv, (const void *))(stream));
}

/* ---- input ---- */

#define INPUT(type, name, title)                                                                   \
    WRAP(type, name, (void *self, char *to, ptrdiff_t size)) {                                     \
        struct site site = named(title, FRAME_HERE);                                               \
        struct bounce bounce = bounce_begin(site, to, positive(size));                             \
        struct taking taking = taking_begin(site, self);                                           \
        type result =                                                                              \
            CXX_FUNCTION(type, name, (void *, char *, ptrdiff_t))(self, bounce.buffer, size);      \
        bounce_end(site, &bounce, taken(self));                                                    \
        taking_put_first(site, &taking, to, taken(self));                                          \
        return result;                                                                             \
    }

INPUT(void *, _ZNSi4readEPcl, "std::istream::read")
INPUT(ptrdiff_t, _ZNSi8readsomeEPcl, "std::istream::readsome")

/* What a get or getline stored: what was taken and a zero. A delimiter may have been
 * taken and is not stored; then the zero stands in its place. */
static size_t stored_line(const struct bounce *bounce, const void *stream, ptrdiff_t size) {
    const char *text = bounce->buffer;
    size_t count = taken(stream);
    return count < positive(size) && (!count || text[count - 1]) ? count + 1 : count;
}

static void line_taken(struct site site, struct bounce *bounce, const struct taking *taking,
                       const void *stream, ptrdiff_t size) {
    size_t stored = stored_line(bounce, stream, size);
    bounce_end(site, bounce, stored);
    if (stored) taking_put_first(site, taking, bounce->target, stored - 1);
}

#define LINE(name, title)                                                                          \
    WRAP(void *, name, (void *self, char *to, ptrdiff_t size)) {                                   \
        struct site site = named(title, FRAME_HERE);                                               \
        struct bounce bounce = bounce_begin(site, to, positive(size));                             \
        struct taking taking = taking_begin(site, self);                                           \
        void *result =                                                                             \
            CXX_FUNCTION(void *, name, (void *, char *, ptrdiff_t))(self, bounce.buffer, size);    \
        line_taken(site, &bounce, &taking, self, size);                                            \
        return result;                                                                             \
    }

#define LINE_UNTIL(name, title)                                                                    \
    WRAP(void *, name, (void *self, char *to, ptrdiff_t size, char stop)) {                        \
        struct site site = named(title, FRAME_HERE);                                               \
        struct bounce bounce = bounce_begin(site, to, positive(size));                             \
        struct taking taking = taking_begin(site, self);                                           \
        void *result = CXX_FUNCTION(void *, name, (void *, char *, ptrdiff_t, char))(              \
            self, bounce.buffer, size, stop);                                                      \
        line_taken(site, &bounce, &taking, self, size);                                            \
        return result;                                                                             \
    }

LINE(_ZNSi3getEPcl, "std::istream::get")
LINE(_ZNSi7getlineEPcl, "std::istream::getline")
LINE_UNTIL(_ZNSi3getEPclc, "std::istream::get")
LINE_UNTIL(_ZNSi7getlineEPclc, "std::istream::getline")

static int has_taken(const struct taking *taking, const void *stream) {
    return taking->is_followed && !stream_has_failed(stream);
}

/* Numbers. Before C++11 a text that is none left the program's variable alone. */
#define NUMBER(name, type, title)                                                                  \
    WRAP(void *, name, (void *self, type *to)) {                                                   \
        struct site site = named(title, FRAME_HERE);                                               \
        check_range(site, to, sizeof *to, 1, to);                                                  \
        struct taking taking = taking_begin(site, self);                                           \
        void *result = CXX_FUNCTION(void *, name, (void *, type *))(self, to);                     \
        if (has_taken(&taking, self)) taking_number(site, &taking, to, sizeof *to);                \
        return result;                                                                             \
    }
#define NUMBER_IN_HEADER(code, type, title)                                                        \
    NUMBER(_ZNSirsER##code, type, title)                                                           \
    NUMBER(_ZNSi10_M_extractI##code##EERSiRT_, type, title)

NUMBER(_ZNSirsERs, short, "std::istream::operator>>(short&)")
NUMBER(_ZNSirsERi, int, "std::istream::operator>>(int&)")
NUMBER_IN_HEADER(b, bool, "std::istream::operator>>(bool&)")
NUMBER_IN_HEADER(t, unsigned short, "std::istream::operator>>(unsigned short&)")
NUMBER_IN_HEADER(j, unsigned, "std::istream::operator>>(unsigned int&)")
NUMBER_IN_HEADER(l, long, "std::istream::operator>>(long&)")
NUMBER_IN_HEADER(m, unsigned long, "std::istream::operator>>(unsigned long&)")
NUMBER_IN_HEADER(x, long long, "std::istream::operator>>(long long&)")
NUMBER_IN_HEADER(y, unsigned long long, "std::istream::operator>>(unsigned long long&)")
NUMBER_IN_HEADER(f, float, "std::istream::operator>>(float&)")
NUMBER_IN_HEADER(d, double, "std::istream::operator>>(double&)")
NUMBER_IN_HEADER(e, long double, "std::istream::operator>>(long double&)")
NUMBER_IN_HEADER(Pv, void *, "std::istream::operator>>(void*&)")

/* ---- input into strings ---- */

#define WRAP_EXPANDED(type, name, parameters) WRAP(type, name, parameters)

#define STRING_IN                                                                                  \
    _ZStrsIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE
#define STRING_LINE                                                                                \
    _ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE
#define STRING_LINE_UNTIL                                                                          \
    _ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EES4_

/* A string before a call, by which it may not have changed. */
struct string_before {
    struct cxx_string string;
    uint64_t digest;
};

static uint64_t digest_of(const struct cxx_string *string) {
    return wh_digest(WH_DIGEST_OF_NOTHING, string->begin, string->size);
}

/* The library stores into the string that is there, if it has room for more. */
static struct string_before check_string(struct site site, const struct cxx_string *string) {
    struct string_before before = {.string = {NULL, 0}};
    check_range(site, string, sizeof *string, 1, string);
    if (!is_there(string, sizeof *string)) return before;
    check_range(site, string->begin, string->size, 0, string->begin);
    if (!written_is_asked() || !is_there(string->begin, string->size)) return before;
    before.string = *string;
    before.digest = digest_of(string);
    return before;
}

static void string_written(struct site site, const struct string_before *before,
                           const struct cxx_string *string) {
    if (!written_is_asked()) return;
    if (before->string.begin == string->begin && before->string.size == string->size &&
        before->digest == digest_of(string))
        return;
    written_already(site.function, (uintptr_t)string->begin, string->size + 1);
}

/* `put` says which part of what was taken the text is. */
#define INTO_STRING(name, title, put)                                                              \
    WRAP_EXPANDED(void *, name, (void *self, struct cxx_string *string)) {                         \
        struct site site = named(title, FRAME_HERE);                                               \
        struct string_before before = check_string(site, string);                                  \
        struct taking taking = taking_begin(site, self);                                           \
        void *result = CXX_FUNCTION(void *, name, (void *, struct cxx_string *))(self, string);    \
        string_written(site, &before, string);                                                     \
        if (has_taken(&taking, self)) put(site, &taking, string->begin, string->size);             \
        return result;                                                                             \
    }

INTO_STRING(STRING_IN, "std::istream::operator>>(std::string&)", taking_put_last)
INTO_STRING(STRING_LINE, "std::getline(std::istream&, std::string&)", taking_put_first)

WRAP_EXPANDED(void *, STRING_LINE_UNTIL, (void *self, struct cxx_string *string, char stop)) {
    struct site site = named("std::getline(std::istream&, std::string&)", FRAME_HERE);
    struct string_before before = check_string(site, string);
    struct taking taking = taking_begin(site, self);
    void *result = CXX_FUNCTION(void *, STRING_LINE_UNTIL,
                                (void *, struct cxx_string *, char))(self, string, stop);
    string_written(site, &before, string);
    if (has_taken(&taking, self)) taking_put_first(site, &taking, string->begin, string->size);
    return result;
}

#define CHARACTER(name, title)                                                                     \
    WRAP(void *, name, (void *self, char *to)) {                                                   \
        struct site site = named(title, FRAME_HERE);                                               \
        check_range(site, to, 1, 1, to);                                                           \
        struct taking taking = taking_begin(site, self);                                           \
        void *result = CXX_FUNCTION(void *, name, (void *, char *))(self, to);                     \
        if (has_taken(&taking, self)) taking_put_last(site, &taking, to, 1);                       \
        return result;                                                                             \
    }

CHARACTER(_ZNSi3getERc, "std::istream::get(char&)")
CHARACTER(_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_,
          "std::istream::operator>>(char&)")

#define BYTE(name, title)                                                                          \
    WRAP(int, name, (void *self)) {                                                                \
        struct site site = named(title, FRAME_HERE);                                               \
        struct taking taking = taking_byte(site, self);                                            \
        int result = CXX_FUNCTION(int, name, (void *))(self);                                      \
        taking_returned(site, &taking, result);                                                    \
        return result;                                                                             \
    }

BYTE(_ZNSi3getEv, "std::istream::get()")
BYTE(_ZNSi4peekEv, "std::istream::peek()")

/* ---- output ---- */

#define OUTPUT(name, title)                                                                        \
    WRAP(void *, name, (void *self, const char *from, ptrdiff_t size)) {                           \
        struct site site = named(title, FRAME_HERE);                                               \
        check_range(site, from, positive(size), 0, from);                                          \
        struct putting putting = putting_begin(site, self);                                        \
        void *result =                                                                             \
            CXX_FUNCTION(void *, name, (void *, const char *, ptrdiff_t))(self, from, size);       \
        putting_text(&putting, from, positive(size));                                              \
        return result;                                                                             \
    }

OUTPUT(_ZNSo5writeEPKcl, "std::ostream::write")
/* what the header's operator<< of a string_view calls */
OUTPUT(_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l, "operator<<")

/* of a const char *; a null pointer makes the stream bad */
WRAP(void *, _ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc,
     (void *self, const char *text)) {
    struct site site = named("operator<<", FRAME_HERE);
    size_t size = text ? check_until(site, text, 0, NO_LIMIT) : 0;
    struct putting putting = putting_begin(site, self);
    void *result = CXX_FUNCTION(void *, _ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc,
                                (void *, const char *))(self, text);
    putting_text(&putting, text, size);
    return result;
}

/* of a std::string */
#define STRING_OUT                                                                                 \
    _ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE

WRAP_EXPANDED(void *, STRING_OUT, (void *self, const struct cxx_string *string)) {
    struct site site = named("operator<<", FRAME_HERE);
    check_range(site, string, sizeof *string, 0, string);
    check_range(site, string->begin, string->size, 0, string->begin);
    struct putting putting = putting_begin(site, self);
    void *result =
        CXX_FUNCTION(void *, STRING_OUT, (void *, const struct cxx_string *))(self, string);
    putting_text(&putting, string->begin, string->size);
    return result;
}

/* of all that another buffer has left; without one the stream becomes bad */
WRAP(void *, _ZNSolsEPSt15basic_streambufIcSt11char_traitsIcEE,
     (void *self, const struct cxx_buffer *from)) {
    struct site site = named("std::ostream::operator<<(std::streambuf*)", FRAME_HERE);
    if (from) check_range(site, from, sizeof *from, 0, from);
    struct putting putting = putting_begin(site, self);
    struct taking taking = taking_buffer(putting.call, from);
    void *result = CXX_FUNCTION(void *, _ZNSolsEPSt15basic_streambufIcSt11char_traitsIcEE,
                                (void *, const void *))(self, from);
    putting_taken(site, &putting, &taking);
    return result;
}

/* Numbers. A `float` is passed as a `double`. */
#define INSERT(name, type, title)                                                                  \
    WRAP(void *, name, (void *self, type value)) {                                                 \
        struct putting putting = putting_begin(named(title, FRAME_HERE), self);                    \
        void *result = CXX_FUNCTION(void *, name, (void *, type))(self, value);                    \
        putting_argument(&putting, 1, (uint64_t)value, 0);                                         \
        return result;                                                                             \
    }
#define INSERT_REAL(name, type, title)                                                             \
    WRAP(void *, name, (void *self, type value)) {                                                 \
        struct putting putting = putting_begin(named(title, FRAME_HERE), self);                    \
        void *result = CXX_FUNCTION(void *, name, (void *, type))(self, value);                    \
        putting_text(&putting, NULL, 0);                                                           \
        return result;                                                                             \
    }

INSERT(_ZNSolsEi, int, "std::ostream::operator<<(int)")
INSERT(_ZNSolsEs, short, "std::ostream::operator<<(short)")
INSERT(_ZNSo9_M_insertIlEERSoT_, long, "std::ostream::operator<<(long)")
INSERT(_ZNSo9_M_insertImEERSoT_, unsigned long, "std::ostream::operator<<(unsigned long)")
INSERT(_ZNSo9_M_insertIxEERSoT_, long long, "std::ostream::operator<<(long long)")
INSERT(_ZNSo9_M_insertIyEERSoT_, unsigned long long, "std::ostream::operator<<(unsigned long long)")
INSERT(_ZNSo9_M_insertIbEERSoT_, bool, "std::ostream::operator<<(bool)")
INSERT(_ZNSo9_M_insertIPKvEERSoT_, const void *, "std::ostream::operator<<(const void*)")
INSERT_REAL(_ZNSo9_M_insertIdEERSoT_, double, "std::ostream::operator<<(double)")
INSERT_REAL(_ZNSo9_M_insertIeEERSoT_, long double, "std::ostream::operator<<(long double)")

WRAP(void *, _ZNSo3putEc, (void *self, char byte)) {
    struct putting putting = putting_begin(named("std::ostream::put", FRAME_HERE), self);
    void *result = CXX_FUNCTION(void *, _ZNSo3putEc, (void *, char))(self, byte);
    putting_argument(&putting, 1, (uint8_t)byte, 1);
    return result;
}

/* ---- std::condition_variable, which its owner may have deleted ---- */

#define NOTIFY(name, title)                                                                        \
    WRAP(void, name, (void *condition)) {                                                          \
        check_shared(named(title, FRAME_HERE), condition, sizeof(pthread_cond_t));                 \
        CXX_FUNCTION(void, name, (void *))(condition);                                             \
    }

NOTIFY(_ZNSt18condition_variable10notify_allEv, "std::condition_variable::notify_all")
NOTIFY(_ZNSt18condition_variable10notify_oneEv, "std::condition_variable::notify_one")
