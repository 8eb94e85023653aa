/* obstack.h: objects on stacks of chunks that a function of the program allocates. */
#include "format.h"
#include "formatted.h"

#include <obstack.h>

#define CHECK_PRINTF check_printf

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

PRINT(obstack_printf, (struct obstack * stack, const char *format, ...),
      (STACK(stack), obstack_vprintf(stack, format, arguments)))
PRINT(__obstack_printf_chk, (struct obstack * stack, int flag, const char *format, ...),
      (STACK(stack), __obstack_vprintf_chk(stack, flag, format, arguments)))
PRINT_LIST(obstack_vprintf, (struct obstack * stack, const char *format, va_list arguments),
           (STACK(stack), obstack_vprintf(stack, format, arguments)))
PRINT_LIST(__obstack_vprintf_chk,
           (struct obstack * stack, int flag, const char *format, va_list arguments),
           (STACK(stack), __obstack_vprintf_chk(stack, flag, format, arguments)))
