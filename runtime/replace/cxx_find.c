#include "cxx.h"

#include <dlfcn.h>
#include <stddef.h>

uintptr_t cxx_find(const char *name) {
    static const char *const libraries[] = {"libstdc++.so.6", "libc++.so.1"};
    uintptr_t found = (uintptr_t)dlsym(RTLD_DEFAULT, name);
    for (size_t i = 0; !found && i < sizeof libraries / sizeof *libraries; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        if (library) found = (uintptr_t)dlsym(library, name);
    }
    return found;
}
