/* obstack.h: objects on stacks of chunks that a function of the program allocates. */
#include <stdarg.h>
#include "check.h"
#include "format.h"

#include <obstack.h>
#include <stdio.h>

typedef void *chunk_maker(long);
typedef void chunk_freer(void *);
typedef void *chunk_maker_1(void *, long);
typedef void chunk_freer_1(void *, void *);

/* What the header does not declare; _obstack_free is obstack_free. */
int _obstack_allocated_p(struct obstack *, void *);
void _obstack_free(struct obstack *, void *);

#define STACK(stack) READ(stack, sizeof *(stack))

WRAP(int, _obstack_begin,
     (struct obstack * stack, int size, int alignment, chunk_maker *make, chunk_freer *release)) {
    WRITE(stack, sizeof *stack);
    return _obstack_begin(stack, size, alignment, make, release);
}

WRAP(int, _obstack_begin_1,
     (struct obstack * stack, int size, int alignment, chunk_maker_1 *make, chunk_freer_1 *release,
      void *argument)) {
    WRITE(stack, sizeof *stack);
    return _obstack_begin_1(stack, size, alignment, make, release, argument);
}

/* The object that grows moves into the new chunk. */
WRAP(void, _obstack_newchunk, (struct obstack * stack, int length)) {
    STACK(stack);
    READ(stack->object_base, (size_t)(stack->next_free - stack->object_base));
    _obstack_newchunk(stack, length);
}

WRAP(int, _obstack_allocated_p, (struct obstack * stack, void *object)) {
    STACK(stack);
    return _obstack_allocated_p(stack, object);
}

WRAP(int, _obstack_memory_used, (struct obstack * stack)) {
    STACK(stack);
    return _obstack_memory_used(stack);
}

WRAP(void, _obstack_free, (struct obstack * stack, void *object)) {
    STACK(stack);
    _obstack_free(stack, object);
}

WRAP(void, obstack_free, (struct obstack * stack, void *object)) {
    STACK(stack);
    _obstack_free(stack, object);
}

/* ---- printf to an object ---- */

int __obstack_vprintf_chk(struct obstack *, int, const char *, va_list);

#define PRINT_OBJECT(name, parameters, call)                                                       \
    WRAP(int, name, parameters) {                                                                  \
        va_list arguments;                                                                         \
        va_start(arguments, format);                                                               \
        STACK(stack);                                                                              \
        check_printf(SITE, format, arguments);                                                     \
        int length = call;                                                                         \
        va_end(arguments);                                                                         \
        return length;                                                                             \
    }

#define PRINT_OBJECT_LIST(name, parameters, call)                                                  \
    WRAP(int, name, parameters) {                                                                  \
        STACK(stack);                                                                              \
        check_printf(SITE, format, arguments);                                                     \
        return call;                                                                               \
    }

PRINT_OBJECT(obstack_printf, (struct obstack * stack, const char *format, ...),
             obstack_vprintf(stack, format, arguments))
PRINT_OBJECT(__obstack_printf_chk, (struct obstack * stack, int flag, const char *format, ...),
             __obstack_vprintf_chk(stack, flag, format, arguments))
PRINT_OBJECT_LIST(obstack_vprintf, (struct obstack * stack, const char *format, va_list arguments),
                  obstack_vprintf(stack, format, arguments))
PRINT_OBJECT_LIST(__obstack_vprintf_chk,
                  (struct obstack * stack, int flag, const char *format, va_list arguments),
                  __obstack_vprintf_chk(stack, flag, format, arguments))
