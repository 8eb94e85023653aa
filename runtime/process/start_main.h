/* main, as the C library starts it, and as a library in front of it starts its own in between. */
#ifndef WHENCE_PROCESS_START_MAIN_H
#define WHENCE_PROCESS_START_MAIN_H

#include <dlfcn.h>
#include <stdint.h>

typedef int (*main_function)(int, char **, char **);

#define START_MAIN_PARAMETERS                                                                      \
    (main_function main, int argc, char **argv, void (*init)(void), void (*fini)(void),            \
     void (*rtld_fini)(void), void *stack_end)

/* Has the C library start this main in place of the program's. */
static inline int start_main_next START_MAIN_PARAMETERS {
    typedef int(*start_main_function) START_MAIN_PARAMETERS;
    start_main_function next =
        (start_main_function)(uintptr_t)dlsym(RTLD_NEXT, "__libc_start_main");
    return next(main, argc, argv, init, fini, rtld_fini, stack_end);
}

#endif
