/* Which allocation functions the program defines itself: functions of the C library that call
 * malloc, and forms of operator new that call others, are to call the program's. */
#ifndef WHENCE_REPLACE_REPLACED_H
#define WHENCE_REPLACE_REPLACED_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include "../os/mem.h"

/* What a reference to the name leads to, for the program's sake hidden from the optimiser. */
#define CURRENT(name)                                                                              \
    __extension__({                                                                                \
        __typeof__(&name) current = &name;                                                         \
        __asm__("" : "+r"(current));                                                               \
        current;                                                                                   \
    })

/* The runtime's own function: `own_NAME` is a second name of it, set by the file that defines it.
 */
#define OWN(name)                                                                                  \
    __extension__({                                                                                \
        uintptr_t own;                                                                             \
        __asm__("leaq own_" #name "(%%rip), %0" : "=r"(own));                                      \
        own;                                                                                       \
    })

#define SET_OWN(name)                                                                              \
    __asm__(".globl own_" #name "\n.hidden own_" #name "\n.set own_" #name ", " #name "\n")

#define REPLACED(name)                                                                             \
    (WH_UNLIKELY((uintptr_t)CURRENT(name) != OWN(name)) &&                                         \
     replaced_is_definition(#name, (uintptr_t)CURRENT(name)))

/* In a program that is not position-independent and takes the address of a function, that address
 * is the one of a stub in the program, which leads here. */
int replaced_is_definition(const char *name, uintptr_t current);

/* The program's own malloc and free; NULL: it has none. */
static inline void *(*replaced_malloc(void))(size_t) {
    return REPLACED(malloc) ? CURRENT(malloc) : NULL;
}

static inline void (*replaced_free(void))(void *) { return REPLACED(free) ? CURRENT(free) : NULL; }

#endif
