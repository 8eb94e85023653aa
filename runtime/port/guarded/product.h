/* The preloaded allocator: blocks lie beside pages that cannot be accessed (guard/guard.h). */
#ifndef WHENCE_PORT_PRODUCT_H
#define WHENCE_PORT_PRODUCT_H

#include "../lives.h"

#define PORT_LIBRARY "whence-alloc.so"
#define PORT_CHECKS 1
#define PORT_PLANES 0
#define PORT_GUARDS 1
#define PORT_OBSERVED 0

/* A wrapper has the name of the library function that it stands for; the next library's function
 * is found at run time. */
struct port_next {
    const char *name;
    void *function; /* NULL: not found yet */
};

#define PORT_SYMBOL(name, own) #name
#define PORT_FOLLOWED(name)                                                                        \
    static struct port_next next_##name                                                            \
        __attribute__((section("whence_nexts"), used)) = {#name, NULL};
#define PORT_NEXT(name)                                                                            \
    ((__typeof__(&name))(next_##name.function ? next_##name.function : port_find(&next_##name)))
/* The wrapper of syscall (intercept/kernel/raw.c) has the name. */
#define PORT_SYSCALL "whence_mapping_syscall"

#endif
