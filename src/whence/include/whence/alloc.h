/* Blocks of the guarded allocator: what a program can ask of engine alloc (docs/alloc-engine.md).
 *
 *     #include <whence/alloc.h>
 *
 * whence-cc finds this file by itself. For other compilers `whence include`
 * prints the folder: cc -I "$(whence include)" …
 *
 * C and C++. There is nothing to link: where whence-alloc.so is not loaded,
 * every function does nothing and answers 0, and the prefixed functions are
 * those of the C library. A block is named by the pointer that its allocation
 * returned.
 */
#ifndef WHENCE_ALLOC_H
#define WHENCE_ALLOC_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

enum whence_alloc_option {
    WHENCE_ALLOC_READ_WRITE, /* as all blocks begin; every other access to a block is a finding: */
    WHENCE_ALLOC_READ_ONLY,
    WHENCE_ALLOC_NO_ACCESS,
    WHENCE_ALLOC_PERMANENT, /* freeing or resizing it is a finding */
    WHENCE_ALLOC_TEMPORARY  /* as all blocks begin */
};

/* Not for direct use. */
int __whence_alloc_set(void *block, int option) __attribute__((weak));
int __whence_alloc_get(const void *block, int option) __attribute__((weak));
void __whence_alloc_dump(int all) __attribute__((weak));
void __whence_alloc_break_at(const void *block) __attribute__((weak));
void *__whence_malloc(size_t size) __attribute__((weak));
void *__whence_calloc(size_t count, size_t size) __attribute__((weak));
void *__whence_realloc(void *block, size_t size) __attribute__((weak));
void __whence_free(void *block) __attribute__((weak));

/* Whether that could be done: not for what is no live block, and access cannot be
 * taken from blocks that have no pages of their own (--guard plain). */
static inline int whence_alloc_set(void *block, enum whence_alloc_option option) {
    return __whence_alloc_set ? __whence_alloc_set(block, (int)option) : 0;
}

/* Whether the block is live and has this option. */
static inline int whence_alloc_get(const void *block, enum whence_alloc_option option) {
    return __whence_alloc_get ? __whence_alloc_get(block, (int)option) : 0;
}

/* Lists live blocks on standard error, the permanent ones if `all`. */
static inline void whence_alloc_dump(int all) {
    if (__whence_alloc_dump) __whence_alloc_dump(all);
}

/* The function whence_alloc_break, for a breakpoint, is called whenever this block is allocated,
 * freed, resized or given an option. One block at a time, NULL for none; in a debugger:
 * set variable whence_alloc_break_if_touched = 0x… */
static inline void whence_alloc_break_at(const void *block) {
    if (__whence_alloc_break_at) __whence_alloc_break_at(block);
}

/* With -DWHENCE_ALLOC_PREFIX=x: xmalloc, xcalloc, xrealloc, xfree and xstrdup, which allocate from
 * whence-alloc.so where it is loaded, whatever the program has made of malloc. */
#ifdef WHENCE_ALLOC_PREFIX
#define WHENCE_ALLOC_JOIN_(prefix, name) prefix##name
#define WHENCE_ALLOC_JOIN(prefix, name) WHENCE_ALLOC_JOIN_(prefix, name)
#define WHENCE_ALLOC_NAME(name) WHENCE_ALLOC_JOIN(WHENCE_ALLOC_PREFIX, name)

static inline void *WHENCE_ALLOC_NAME(malloc)(size_t size) {
    return __whence_malloc ? __whence_malloc(size) : malloc(size);
}

static inline void *WHENCE_ALLOC_NAME(calloc)(size_t count, size_t size) {
    return __whence_calloc ? __whence_calloc(count, size) : calloc(count, size);
}

static inline void *WHENCE_ALLOC_NAME(realloc)(void *block, size_t size) {
    return __whence_realloc ? __whence_realloc(block, size) : realloc(block, size);
}

static inline void WHENCE_ALLOC_NAME(free)(void *block) {
    if (__whence_free)
        __whence_free(block);
    else
        free(block);
}

static inline char *WHENCE_ALLOC_NAME(strdup)(const char *text) {
    size_t size = strlen(text) + 1;
    void *copy = WHENCE_ALLOC_NAME(malloc)(size);
    return copy ? (char *)memcpy(copy, text, size) : NULL;
}
#endif

#ifdef __cplusplus
}
#endif

#endif
