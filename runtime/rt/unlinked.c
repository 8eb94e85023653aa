#include "unlinked.h"
#include "../findings/refusal.h"
#include "../os/mem.h"
#include "../os/os.h"

#include <dlfcn.h>

static _Noreturn void end(const struct unlinked *what, const char *use) {
    TEXT(why, 600);
    text_put(&why, "it ");
    text_put(&why, use);
    text_put(&why, " ");
    text_put(&why, what->name);
    text_put(&why, ", which ");
    text_put(&why, what->image);
    text_put(&why,
             " was linked without: its compiler had removed all uses of it; compile with -O0, "
             "or link what defines it");
    refusal_end(&why);
}

WH_EXPORT void *__whence_unlinked_function(const struct unlinked *what) {
    void *found = dlsym(RTLD_DEFAULT, what->symbol);
    if (!found) end(what, "calls");
    return found;
}

/* ---- variables ---- */

#define MANY 64u

static struct {
    const struct unlinked *what;
    uintptr_t begin, end;
} variables[MANY];
static unsigned count;

WH_EXPORT void __whence_unlinked_variable(const struct unlinked *what, char *begin, size_t size) {
    unsigned number = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    if (number < MANY) {
        variables[number].what = what;
        variables[number].begin = (uintptr_t)begin;
        variables[number].end = (uintptr_t)begin + size;
    }
    os_protect((uintptr_t)begin, size, OS_NONE);
}

void unlinked_refuse(uintptr_t address) {
    unsigned known = __atomic_load_n(&count, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < known && i < MANY; i++)
        if (address - variables[i].begin < variables[i].end - variables[i].begin)
            end(variables[i].what, "uses");
}
