/* What calls in checked code pass to functions of the runtime, and get from them. */
#ifndef WHENCE_SYMBOLIC_PASSING_H
#define WHENCE_SYMBOLIC_PASSING_H

#include "../include/whence/symbolic.h"
#include "../os/mem.h"

/* The numbers of a function's arguments, which are taken by that. */
struct taken {
    uint32_t arguments[WHENCE_SYMBOLIC_MOST_ARGUMENTS];
};

static inline struct taken passing_take(const void *function) {
    struct symbolic_passed *own = &__whence_symbolic;
    struct taken taken = {{0}};
    if (own->passed.callee != (uintptr_t)function) return taken;
    own->passed.callee = 0;
    for (unsigned i = 0; i < WHENCE_SYMBOLIC_MOST_ARGUMENTS; i++)
        taken.arguments[i] = own->arguments[i];
    return taken;
}

static inline void passing_give(const void *function, uint32_t number) {
    __whence_symbolic.passed.returned = (uintptr_t)function;
    __whence_symbolic.results[0] = number;
}

/* Models of library functions, which generated code calls with their arguments before them, and
 * with the result, of which they return the expression, after them. */
#define BEFORE(name, parameters)                                                                   \
    WH_EXPORT void __whence_symbolic_of_##name parameters;                                         \
    void __whence_symbolic_of_##name parameters
#define AFTER(name, parameters)                                                                    \
    WH_EXPORT uint32_t __whence_symbolic_after_##name parameters;                                  \
    uint32_t __whence_symbolic_after_##name parameters
/* A model's own address, and the place in the program that calls it. */
#define SELF(name) ((const void *)__whence_symbolic_of_##name)
#define HERE ((uintptr_t)__builtin_return_address(0))

#endif
