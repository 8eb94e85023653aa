/* The interface of exploration (klee/klee.h, whence/explore.h), where no path is explored: memory
 * and values stay as they are, or become those of a test (whence replay). */
#include "test.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#define ABSENT(type, name, parameters)                                                             \
    __attribute__((weak)) type klee_##name parameters;                                             \
    __attribute__((weak, alias("klee_" #name))) type whence_##name parameters;                     \
    type klee_##name parameters
#define NOTHING(name, parameters)                                                                  \
    ABSENT(void, name, parameters) {}
#define SAME(name, type)                                                                           \
    ABSENT(type, name, (type value)) { return value; }
#define ENDS(name, parameters) ABSENT(_Noreturn void, name, parameters)

ABSENT(void, make_symbolic, (void *at, size_t size, const char *name)) {
    __whence_test_take(at, size, name ? name : "unnamed");
}
NOTHING(assume, (uintptr_t condition __attribute__((unused))))
NOTHING(warning, (const char *message __attribute__((unused))))
NOTHING(warning_once, (const char *message __attribute__((unused))))
NOTHING(prefer_cex,
        (void *object __attribute__((unused)), uintptr_t condition __attribute__((unused))))
__attribute__((weak)) void whence_prefer(uintptr_t condition);
void whence_prefer(uintptr_t condition __attribute__((unused))) {}
NOTHING(open_merge, (void))
NOTHING(close_merge, (void))
NOTHING(set_forking, (unsigned enable __attribute__((unused))))
NOTHING(stack_trace, (void))
NOTHING(print_expr, (const char *message __attribute__((unused)), ...))
NOTHING(mark_global, (void *object __attribute__((unused))))
SAME(get_valuef, float)
SAME(get_valued, double)
SAME(get_valuel, long)
SAME(get_valuell, long long)
SAME(get_value_i32, int32_t)
SAME(get_value_i64, int64_t)
static int value_of(int value, const char *name) {
    __whence_test_take(&value, sizeof value, name ? name : "unnamed");
    return value;
}
ABSENT(int, int, (const char *name)) { return value_of(0, name); }
ABSENT(int, range, (int begin, int end __attribute__((unused)), const char *name)) {
    return value_of(begin, name);
}
ABSENT(uintptr_t, choose, (uintptr_t n __attribute__((unused)))) {
    uintptr_t value = 0;
    __whence_test_take(&value, sizeof value, "klee_choose");
    return value;
}
static void touch(const volatile char *byte) { (void)*byte; }
ABSENT(void, check_memory_access, (const void *address, size_t size)) {
    if (!size) return;
    touch(address);
    touch((const char *)address + size - 1);
}
ABSENT(void, define_fixed_object, (void *address, size_t size)) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t end = (uintptr_t)address + size;
    for (uintptr_t at = (uintptr_t)address & ~(page - 1); at < end; at += page) {
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
        void *made = mmap((void *)at, page, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (made != MAP_FAILED && (uintptr_t)made != at) munmap(made, page);
    }
}
__attribute__((weak)) int klee_get_errno(void);
int klee_get_errno(void) { return errno; }
__attribute__((weak)) void klee_posix_prefer_cex(void *object, uintptr_t condition);
void klee_posix_prefer_cex(void *object __attribute__((unused)),
                           uintptr_t condition __attribute__((unused))) {}
__attribute__((weak)) void klee_print_range(const char *name, int number);
void klee_print_range(const char *name, int number) { fprintf(stderr, "%s: %d\n", name, number); }
ABSENT(unsigned, is_symbolic, (uintptr_t value __attribute__((unused)))) { return 0; }
ABSENT(size_t, get_obj_size, (void *pointer __attribute__((unused)))) { return 0; }
ABSENT(unsigned, is_replay, (void)) { return 1; }
ENDS(silent_exit, (int status)) { exit(status); }
ENDS(abort, (void)) { abort(); }
ENDS(report_error, (const char *file, int line, const char *message,
                    const char *suffix __attribute__((unused)))) {
    fprintf(stderr, "%s:%d: %s\n", file, line, message);
    exit(1);
}
