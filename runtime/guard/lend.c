#include "lend.h"
#include "guard.h"
#include "../findings/refusal.h"
#include "../os/mem.h"
#include "../process/thread.h"

#include <dlfcn.h>
#include <stddef.h>

/* glibc's allocator under names that no other library replaces. */
extern void *__libc_malloc(size_t) __attribute__((weak));
extern void *__libc_calloc(size_t, size_t) __attribute__((weak));
extern void *__libc_realloc(void *, size_t) __attribute__((weak));
extern void *__libc_memalign(size_t, size_t) __attribute__((weak));
extern void __libc_free(void *) __attribute__((weak));

int lend_everything, lend_any;

void lend_all(void) {
    static const char reason[] = "the address space is limited (ulimit -v, or something is mapped "
                                 "where the heap goes), so the C library allocates";
    TEXT(why, 200);
    text_put(&why, reason);
    if (refusal_tell(&why)) return;
    TEXT(line, 200);
    text_put(&line, "nothing is checked: ");
    text_put(&line, reason);
    text_complain(&line);
}

void lend_note(enum lend_reason reason) {
    static int noted[2];
    static const char *const sentences[] = {
        [LEND_UNGUARDED] =
            "the system gives this process no more mappings or memory (sysctl "
            "vm.max_map_count): further blocks have no guarded ends while that is so; "
            "what is written beside them is found when they are freed",
        [LEND_FOREIGN] = "the system gives this process no more mappings or memory (sysctl "
                         "vm.max_map_count): some large blocks come from the C library and are not "
                         "checked",
    };
    rt_note(&noted[reason], sentences[reason]);
}

void lend_prepare(void) {
    if (__libc_malloc && __libc_free) __libc_free(__libc_malloc(1));
}

uintptr_t lend_new(const struct heap_request *request) {
    if (!__libc_malloc || !__libc_memalign || !__libc_free || !__libc_calloc) return 0;
    if (!lend_everything) lend_note(LEND_FOREIGN);
    __atomic_store_n(&lend_any, 1, __ATOMIC_RELEASE);
    if (request->alignment > 16)
        return (uintptr_t)__libc_memalign(request->alignment, request->size);
    return (uintptr_t)(request->zeroed ? __libc_calloc(1, request->size)
                                       : __libc_malloc(request->size));
}

void lend_free(void *pointer) { __libc_free(pointer); }

void *lend_resize(void *pointer, size_t size) {
    return __libc_realloc ? __libc_realloc(pointer, size) : NULL;
}

static size_t (*next_size)(void *);

/* Before the program runs: dlsym would take from it what dlerror returns next. */
__attribute__((constructor)) static void find_size(void) {
    if (!next_size)
        next_size = (size_t (*)(void *))(uintptr_t)dlsym(RTLD_NEXT, "malloc_usable_size");
}

size_t lend_size(void *pointer) {
    find_size();
    return next_size ? next_size(pointer) : 0;
}
