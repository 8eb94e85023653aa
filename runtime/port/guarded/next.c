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

void *port_find(struct port_next *next) {
    void *function = dlsym(RTLD_NEXT, next->name);
    if (!function) {
        dlerror(); /* the program's next call of it must not give this error */
        function = (void *)(uintptr_t)absent;
    }
    return next->function = function;
}

void next_find_all(void) {
    for (struct port_next *next = __start_whence_nexts; next < __stop_whence_nexts; next++)
        port_find(next);
}
