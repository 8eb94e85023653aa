/* Functions of exec's kind whose arguments are a list, up to a NULL. */
#ifndef WHENCE_INTERCEPT_ARGUMENTS_H
#define WHENCE_INTERCEPT_ARGUMENTS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* `first` stands before the list, and may be the NULL that ends it. */
static inline size_t arguments_count(const char *first, va_list list) {
    va_list copy;
    size_t count = 1;
    if (!first) return 0;
    va_copy(copy, list);
    while (va_arg(copy, char *)) count++;
    va_end(copy);
    return count;
}

/* Declares `vector`, the arguments from `first` on, in this frame: a child of vfork or a signal
 * handler may execute a program. `list` ends behind the NULL. */
#define VECTOR(first)                                                                              \
    va_list list;                                                                                  \
    va_start(list, first);                                                                         \
    size_t count = arguments_count(first, list);                                                   \
    char *vector[count + 1];                                                                       \
    vector[0] = (char *)(uintptr_t)(first);                                                        \
    for (size_t i = 1; i <= count; i++) vector[i] = va_arg(list, char *)

#endif
