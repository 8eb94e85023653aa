/* What programs call: klee/klee.h and whence/explore.h, of which the latter's names differ in the
 * prefix alone, but for whence_prefer. Where no path is explored they leave everything as it is, or
 * take the bytes of a test. */
#include "decisions.h"
#include "expressions.h"
#include "inputs.h"
#include "memory.h"
#include "trace.h"
#include "../blocks/block.h"
#include "passing.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../os/text.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#define API(type, name, parameters)                                                                \
    WH_EXPORT type klee_##name parameters;                                                         \
    WH_EXPORT type whence_##name parameters __attribute__((alias("klee_" #name)));                 \
    type klee_##name parameters

/* Both names of a function are one address. */
#define TAKEN(name) (passing_take((const void *)klee_##name).arguments[0])
#define GIVE(name, number) passing_give((const void *)klee_##name, number)

/* ---- ends ---- */

static _Noreturn void end(unsigned how, int status) {
    trace_end(how, (uint64_t)status);
    os_exit(status);
}

API(_Noreturn void, silent_exit, (int status)) { end(WH_END_SILENT, status); }

API(_Noreturn void, abort, (void)) { abort(); }

API(_Noreturn void, report_error,
    (const char *file, int line, const char *sentence, const char *suffix)) {
    (void)suffix;
    TEXT(message, 1024);
    text_put(&message, file);
    text_put(&message, ":");
    text_decimal(&message, (uint64_t)line);
    text_put(&message, ": ");
    text_put(&message, sentence);
    text_complain(&message);
    trace_end(WH_END_REPORTED, 1);
    abort(); /* which is a finding, with its stack */
}

/* ---- symbolic values ---- */

API(void, make_symbolic, (void *at, size_t size, const char *name)) {
    inputs_memory(at, size, name ? name : "unnamed");
}

/* A new object of the input, and its number; 0 where no path is explored. */
static uint32_t fresh_int(int *value, const char *name) {
    inputs_memory(value, sizeof *value, name ? name : "unnamed");
    if (!trace_is_open()) return 0;
    uint32_t number = memory_load((uintptr_t)value, sizeof *value, (uint32_t)*value);
    memory_clear((uintptr_t)value, sizeof *value);
    return number;
}

API(int, int, (const char *name)) {
    int value = 0;
    GIVE(int, fresh_int(&value, name));
    return value;
}

static void assume(uint32_t condition, int holds, uint64_t pc) {
    decision_assume(condition, holds, pc);
    if (!holds && trace_is_open()) end(WH_END_ASSUMPTION, 0);
}

/* Whether it is not 0, as an expression. */
static uint32_t truth_of(uint32_t number) {
    if (!number) return 0;
    uint32_t zero = expression_constant(expression_at(number)->width, 0);
    return zero ? expression_not(expression_make(WH_OP_EQ, 1, number, zero, 0, 0)) : 0;
}

API(void, assume, (uintptr_t condition)) { assume(truth_of(TAKEN(assume)), condition != 0, HERE); }

static uint32_t compared(unsigned op, uint32_t number, int bound, int swapped) {
    uint32_t other = expression_constant(32, (uint32_t)bound);
    if (!number || !other) return 0;
    return expression_make(op, 1, swapped ? other : number, swapped ? number : other, 0, 0);
}

API(int, range, (int begin, int end_, const char *name)) {
    int value = begin;
    uint32_t number = fresh_int(&value, name);
    assume(compared(WH_OP_SLE, number, begin, 1), begin <= value, HERE);
    assume(compared(WH_OP_SLT, number, end_, 0), value < end_, HERE);
    GIVE(range, number);
    return value;
}

API(uintptr_t, choose, (uintptr_t n)) {
    uintptr_t value = 0;
    inputs_memory(&value, sizeof value, "klee_choose");
    uint32_t number = 0, most = 0;
    if (trace_is_open()) {
        number = memory_load((uintptr_t)&value, sizeof value, value);
        memory_clear((uintptr_t)&value, sizeof value);
        most = expression_constant(64, n);
    }
    assume(number && most ? expression_make(WH_OP_ULT, 1, number, most, 0, 0) : 0, value < n, HERE);
    GIVE(choose, number);
    return value;
}

API(unsigned, is_symbolic, (uintptr_t value)) {
    (void)value;
    return TAKEN(is_symbolic) != 0;
}

API(void, prefer_cex, (void *object, uintptr_t condition)) {
    (void)object, (void)condition;
    decision_prefer(truth_of(passing_take((const void *)klee_prefer_cex).arguments[1]));
}

WH_EXPORT void klee_posix_prefer_cex(void *object, uintptr_t condition);
void klee_posix_prefer_cex(void *object, uintptr_t condition) {
    (void)object, (void)condition;
    decision_prefer(truth_of(passing_take((const void *)klee_posix_prefer_cex).arguments[1]));
}

WH_EXPORT void whence_prefer(uintptr_t condition);
WH_EXPORT void whence_prefer(uintptr_t condition) {
    (void)condition;
    decision_prefer(truth_of(passing_take((const void *)whence_prefer).arguments[0]));
}

#define GET_VALUE(suffix, type)                                                                    \
    API(type, get_value##suffix, (type value)) {                                                   \
        decision_bind(TAKEN(get_value##suffix), WH_REASON_ASKED, HERE);                            \
        return value;                                                                              \
    }
GET_VALUE(f, float)
GET_VALUE(d, double)
GET_VALUE(l, long)
GET_VALUE(ll, long long)
GET_VALUE(_i32, int32_t)
GET_VALUE(_i64, int64_t)

/* ---- about the run ---- */

API(size_t, get_obj_size, (void *pointer)) { return blocks_live_range((uintptr_t)pointer).size; }

static void say(const char *sentence) {
    TEXT(message, 1024);
    text_put(&message, sentence);
    text_complain(&message);
}

API(void, warning, (const char *sentence)) { say(sentence); }

API(void, warning_once, (const char *sentence)) {
    static const char *said;
    if (said != sentence) say(sentence);
    said = sentence;
}

WH_EXPORT int klee_get_errno(void);
int klee_get_errno(void) { return errno; }

WH_EXPORT void klee_print_range(const char *name, int number);
void klee_print_range(const char *name, int number) {
    TEXT(message, 1024);
    text_put(&message, name);
    text_put(&message, ": ");
    if (number < 0) text_put(&message, "-");
    text_decimal(&message, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
    text_complain(&message);
}

/* Paths are never merged, and every decision is one. */
API(void, open_merge, (void)) {}
API(void, close_merge, (void)) {}
API(void, set_forking, (unsigned enable)) { (void)enable; }
API(void, stack_trace, (void)) {}
API(void, print_expr, (const char *sentence, ...)) { say(sentence); }
API(void, mark_global, (void *object)) { (void)object; }
API(unsigned, is_replay, (void)) { return !trace_is_open(); }
