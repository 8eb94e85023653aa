/* What a program can say to `whence explore`; without it every function leaves things as they are.
 *
 *     #include <whence/explore.h>
 *
 * whence-cc finds this file by itself, and what programs are linked to. C and C++. The functions of
 * klee/klee.h are the same. */
#ifndef WHENCE_EXPLORE_H
#define WHENCE_EXPLORE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define WHENCE_NO_RETURN __attribute__((noreturn))
#else
#define WHENCE_NO_RETURN _Noreturn
#endif

/* The bytes become an object of the input, under this name. */
void whence_make_symbolic(void *at, size_t size, const char *name);
/* A symbolic int; in whence_range at least `begin` and less than `end`. */
int whence_int(const char *name);
int whence_range(int begin, int end, const char *name);
/* A symbolic number less than `n`. */
uintptr_t whence_choose(uintptr_t n);
/* Paths on which the condition is 0 end here. */
void whence_assume(uintptr_t condition);
/* The test of this path has, if it can, an input with which the condition is not 0. Earlier wishes
 * come first. */
void whence_prefer(uintptr_t condition);

/* Ends without a test; with an error. */
WHENCE_NO_RETURN void whence_silent_exit(int status);
WHENCE_NO_RETURN void whence_abort(void);
WHENCE_NO_RETURN void whence_report_error(const char *file, int line, const char *message,
                                          const char *suffix);

/* Whether a value depends on the input. */
unsigned whence_is_symbolic(uintptr_t value);
/* The value that this path has, from here on the only one. */
float whence_get_valuef(float value);
double whence_get_valued(double value);
long whence_get_valuel(long value);
long long whence_get_valuell(long long value);
int32_t whence_get_value_i32(int32_t value);
int64_t whence_get_value_i64(int64_t value);

/* An access of these bytes, which is checked: it is a finding if the memory is not there. */
void whence_check_memory_access(const void *address, size_t size);
/* There is memory at this address from here on, as that of a device; what is there already stays.
 */
void whence_define_fixed_object(void *address, size_t size);

/* Bytes of the block at a pointer, 0 if it is not known. */
size_t whence_get_obj_size(void *pointer);
void whence_warning(const char *message);
void whence_warning_once(const char *message);
/* 1 where no path is explored. */
unsigned whence_is_replay(void);

#undef WHENCE_NO_RETURN
#ifdef __cplusplus
}
#endif

#endif
