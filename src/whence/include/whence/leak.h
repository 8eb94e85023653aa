/* Leak checks on request: what a program can ask of `whence run`.
 *
 *     #include <whence/leak.h>
 *
 * whence-cc finds this file by itself. For other compilers `whence include`
 * prints the folder: cc -I "$(whence include)" …
 *
 * C and C++. There is nothing to link: where the program does not run under
 * whence, every function does nothing and answers 0.
 */
#ifndef WHENCE_LEAK_H
#define WHENCE_LEAK_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Live blocks by how they are held, and bytes in them. */
struct whence_leak_counts {
    size_t definite_blocks, definite_bytes;   /* by nothing */
    size_t indirect_blocks, indirect_bytes;   /* only by blocks that are lost */
    size_t possible_blocks, possible_bytes;   /* only by pointers into a block's middle */
    size_t reachable_blocks, reachable_bytes; /* by pointers to begins */
    size_t excused_blocks, excused_bytes;     /* see whence_leak_disable, whence_leak_ignore */
};

/* Not for direct use. */
size_t __whence_leak_check(void) __attribute__((weak));
void __whence_leak_counts(struct whence_leak_counts *counts) __attribute__((weak));
void __whence_leak_disable(void) __attribute__((weak));
void __whence_leak_enable(void) __attribute__((weak));
int __whence_leak_ignore(const void *pointer) __attribute__((weak));
void __whence_leak_root(const void *begin, size_t size, int add) __attribute__((weak));

/* Looks for leaks now, and reports what no earlier check has reported. The
 * program goes on. Returns the number of blocks reported. */
static inline size_t whence_leak_check(void) {
    return __whence_leak_check ? __whence_leak_check() : 0;
}

/* What the last check saw; all 0 before the first one. */
static inline struct whence_leak_counts whence_leak_counts(void) {
    struct whence_leak_counts counts = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    if (__whence_leak_counts) __whence_leak_counts(&counts);
    return counts;
}

/* What this thread allocates between the two calls is no leak, nor is what it
 * leads to. Pairs may be nested. */
static inline void whence_leak_disable(void) {
    if (__whence_leak_disable) __whence_leak_disable();
}

static inline void whence_leak_enable(void) {
    if (__whence_leak_enable) __whence_leak_enable();
}

/* The block that holds the pointer is no leak, nor is what it leads to. Returns
 * whether there is such a block. */
static inline int whence_leak_ignore(const void *pointer) {
    return __whence_leak_ignore ? __whence_leak_ignore(pointer) : 0;
}

/* Pointers in this memory hold blocks. Needed for memory that is shared with
 * other processes or mapped from a file; all else is searched anyway. */
static inline void whence_leak_add_root(const void *begin, size_t size) {
    if (__whence_leak_root) __whence_leak_root(begin, size, 1);
}

static inline void whence_leak_remove_root(const void *begin, size_t size) {
    if (__whence_leak_root) __whence_leak_root(begin, size, 0);
}

#ifdef __cplusplus
}
#endif

#endif
