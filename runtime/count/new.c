/* operator new, so that stacks begin with who calls it: through the C++ library's, which has no
 * frame pointer, they would all begin with one call of malloc, and each would have to be walked.
 * Its other forms call these or functions of count.c. */
#include "count.h"
#include "../os/mem.h"

#include <dlfcn.h>
#include <stdlib.h>

typedef void *operator_new(size_t size);
WH_EXPORT operator_new _Znwm, _Znam;

/* The C++ library calls its handler, or throws. */
static WH_COLD void *without_memory(const char *name, size_t size) {
    operator_new *next = (operator_new *)(uintptr_t)dlsym(RTLD_NEXT, name);
    return next ? next(size) : NULL;
}

/* Where the program has an operator new of its own, new[] calls that. */
extern operator_new whence_count_new __attribute__((visibility("hidden")));
__asm__(".globl whence_count_new\n.hidden whence_count_new\n.set whence_count_new, _Znwm\n");

void *_Znwm(size_t size) {
    void *block = count_new(size, __builtin_frame_address(0));
    return WH_LIKELY(block) ? block : without_memory("_Znwm", size);
}

void *_Znam(size_t size) {
    operator_new *one = _Znwm;
    if (WH_UNLIKELY(one != whence_count_new)) return one(size);
    void *block = count_new(size, __builtin_frame_address(0));
    return WH_LIKELY(block) ? block : without_memory("_Znam", size);
}
