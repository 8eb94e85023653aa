/* The library functions behind the wrappers of the same names. */
#include "next.h"
#include "../port.h"

#include <dlfcn.h>
#include <errno.h>

extern struct port_next __start_whence_nexts[] __attribute__((visibility("hidden")));
extern struct port_next __stop_whence_nexts[] __attribute__((visibility("hidden")));

/* A function that this C library does not have: a program that knows it by a weak reference or by
 * dlsym takes it for one that the kernel does not have. */
static long absent(void) {
    errno = ENOSYS;
    return -1;
}

/* Before 2.34 some functions are in a library of their own, which may be loaded late, and for the
 * library alone that needs it. */
static void *find_in_realtime(const char *name) {
    void *library = dlopen("librt.so.1", RTLD_LAZY | RTLD_NOLOAD);
    void *function = library ? dlsym(library, name) : NULL;
    if (library) dlclose(library);
    return function;
}

void *port_find(struct port_next *next) {
    void *function = dlsym(RTLD_NEXT, next->name);
    if (!function) function = find_in_realtime(next->name);
    if (function) return next->function = function;
    dlerror(); /* the program's next call of it must not give this error */
    return (void *)(uintptr_t)absent;
}

void next_find_all(void) {
    for (struct port_next *next = __start_whence_nexts; next < __stop_whence_nexts; next++)
        port_find(next);
}
