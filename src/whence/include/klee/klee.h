/* The interface of KLEE, for programs that are written for it. `whence explore` serves it; without
 * it every function leaves things as they are.
 *
 *     #include <klee/klee.h>
 *
 * whence-cc finds this file by itself, and what programs are linked to. C and C++. */
#ifndef WHENCE_KLEE_H
#define WHENCE_KLEE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define WHENCE_NO_RETURN __attribute__((noreturn))
#else
#define WHENCE_NO_RETURN _Noreturn
#endif

/* The bytes become an object of the input, under this name. */
void klee_make_symbolic(void *at, size_t size, const char *name);
/* A symbolic int; in klee_range at least `begin` and less than `end`. */
int klee_int(const char *name);
int klee_range(int begin, int end, const char *name);
/* A symbolic number less than `n`. */
uintptr_t klee_choose(uintptr_t n);
/* Paths on which the condition is 0 end here. */
void klee_assume(uintptr_t condition);

/* Ends without a test; with an error. */
WHENCE_NO_RETURN void klee_silent_exit(int status);
WHENCE_NO_RETURN void klee_abort(void);
WHENCE_NO_RETURN void klee_report_error(const char *file, int line, const char *message,
                                        const char *suffix);
#define klee_assert(condition)                                                                     \
    ((condition) ? (void)0                                                                         \
                 : klee_report_error(__FILE__, __LINE__, "klee_assert: " #condition, "assert"))

/* Whether a value depends on the input. */
unsigned klee_is_symbolic(uintptr_t value);
/* The value that this path has, from here on the only one. */
float klee_get_valuef(float value);
double klee_get_valued(double value);
long klee_get_valuel(long value);
long long klee_get_valuell(long long value);
int32_t klee_get_value_i32(int32_t value);
int64_t klee_get_value_i64(int64_t value);

/* An access of these bytes, which is checked: it is a finding if the memory is not there. */
void klee_check_memory_access(const void *address, size_t size);
/* There is memory at this address from here on, as that of a device; what is there already stays.
 */
void klee_define_fixed_object(void *address, size_t size);
/* errno as the last call left it. */
int klee_get_errno(void);

/* Bytes of the block at a pointer, 0 if it is not known. */
size_t klee_get_obj_size(void *pointer);
void klee_warning(const char *message);
void klee_warning_once(const char *message);
/* 1 where no path is explored. */
unsigned klee_is_replay(void);

/* The test of this path has, if it can, an input with which the condition is not 0. Earlier wishes
 * come first; `object` is not looked at. */
void klee_prefer_cex(void *object, uintptr_t condition);
/* The same, for what KLEE prefers of the environment. */
void klee_posix_prefer_cex(void *object, uintptr_t condition);
/* Says the value that a number has on this path. */
void klee_print_range(const char *name, int number);

/* Accepted, without effect. */
void klee_open_merge(void);
void klee_close_merge(void);
void klee_set_forking(unsigned enable);
void klee_stack_trace(void);
void klee_print_expr(const char *message, ...);
void klee_mark_global(void *object);

#undef WHENCE_NO_RETURN
#ifdef __cplusplus
}
#endif

#endif
