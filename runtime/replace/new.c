/* operator new and delete in every form, by their mangled names.
 *
 * A program may replace any of them. By the C++ standard the forms that it leaves
 * alone then call the ones that it replaced: new[] and new(nothrow) call new, sized
 * delete calls delete, and so on. Ours do the same where something has been replaced.
 */
#include "allocate.h"
#include "cxx.h"
#include "replaced.h"
#include "../os/text.h"
#include "../symbolic/failing.h"

typedef void (*new_handler)(void);

/* In the C++ library, if there is one; libstdc++ and libc++ have these. */
extern new_handler std_get_new_handler(void) __asm__("_ZSt15get_new_handlerv")
    __attribute__((weak));
extern void std_throw_bad_alloc(void) __asm__("_ZSt17__throw_bad_allocv") __attribute__((weak));
extern void libcxx_throw_bad_alloc(void) __asm__("_ZNSt3__117__throw_bad_allocEv")
    __attribute__((weak));

static WH_COLD void throw_bad_alloc(size_t size) {
    if (std_throw_bad_alloc) std_throw_bad_alloc();
    if (libcxx_throw_bad_alloc) libcxx_throw_bad_alloc();
    uintptr_t late = cxx_find("_ZSt17__throw_bad_allocv");
    if (late) ((void (*)(void))late)();
    TEXT(message, 160);
    text_put(&message, "operator new found no memory for ");
    text_decimal(&message, size);
    text_put(&message, " bytes and no C++ library to throw std::bad_alloc");
    port_give_up(&message);
}

static WH_COLD new_handler current_handler(void) {
    if (std_get_new_handler) return std_get_new_handler();
    uintptr_t late = cxx_find("_ZSt15get_new_handlerv");
    return late ? ((new_handler (*)(void))late)() : NULL;
}

#define NO_ALIGNMENT SIZE_MAX /* of a form without one */

static WH_COLD int fails(const struct frame *frame) {
    return failing_memory(FAILING_NEW, frame ? frame->return_address : 0);
}

static void *new_once(size_t size, size_t alignment, uint8_t family, const struct frame *frame) {
    if (FAILING_MEMORY && fails(frame)) return NULL;
    if (alignment == NO_ALIGNMENT) {
        if (WH_UNLIKELY(replaced_free() && replaced_malloc()))
            return replaced_malloc()(size ? size : 1); /* as the C++ library does */
        return allocate_sized(size, family, 0, frame);
    }
    size_t used = alignment < 16 ? 16 : alignment;
    struct heap_request request = {size, used, 0, 0, family, 0, 0, alignment};
    return allocate_slowly(&request, frame);
}

/* NULL only if there is no memory and no handler to make some. */
static void *try_new(size_t size, size_t alignment, uint8_t family, const struct frame *frame) {
    for (;;) {
        void *pointer = new_once(size, alignment, family, frame);
        if (WH_LIKELY(pointer)) return pointer;
        new_handler handler = current_handler();
        if (!handler) return NULL;
        handler();
    }
}

static void *must_new(size_t size, size_t alignment, uint8_t family, const struct frame *frame) {
    void *pointer = try_new(size, alignment, family, frame);
    if (WH_UNLIKELY(!pointer)) throw_bad_alloc(size);
    return pointer;
}

/* Whether an aligned form gets a valid alignment; if not, the event goes to the rules. */
static int check_alignment(size_t size, size_t alignment, uint8_t family,
                           const struct frame *frame) {
    if (WH_LIKELY(alignment == NO_ALIGNMENT || is_power_of_two(alignment))) return 1;
    const char *name = family == WH_FAMILY_NEW ? "operator new" : "operator new[]";
    struct wish wish = {name, 1, size, alignment, 1, family};
    report_wish(&wish, frame);
    return 0;
}

/* ---- what the program replaced ---- */

#define DEFINE(type, name, parameters)                                                             \
    type name parameters;                                                                          \
    SET_OWN(name);                                                                                 \
    ALIAS(name);                                                                                   \
    WH_EXPORT type name parameters

/* ---- new ---- */

#define NOT_SOUGHT 1 /* no address of a function */

/* The C++ library's function calls the program's operator and makes NULL of an exception. */
#define NOTHROW(one, family, suffix, values, nothrow_parameters, nothrow_values, alignment)        \
    DEFINE(void *, one##suffix##RKSt9nothrow_t, nothrow_parameters) {                              \
        if (REPLACED(one##suffix) || REPLACED(_Znwm##suffix)) {                                    \
            static uintptr_t library = NOT_SOUGHT;                                                 \
            if (__atomic_load_n(&library, __ATOMIC_RELAXED) == NOT_SOUGHT)                         \
                __atomic_store_n(&library, cxx_find(__func__), __ATOMIC_RELAXED);                  \
            if (library) return ((void *(*)nothrow_parameters)library)nothrow_values;              \
            return CURRENT(one##suffix) values;                                                    \
        }                                                                                          \
        if (!check_alignment(size, alignment, family, FRAME_HERE)) return NULL;                    \
        return try_new(size, alignment, family, FRAME_HERE);                                       \
    }

#define NEW(suffix, parameters, values, nothrow_parameters, nothrow_values, alignment)             \
    DEFINE(void *, _Znwm##suffix, parameters) {                                                    \
        if (!check_alignment(size, alignment, WH_FAMILY_NEW, FRAME_HERE)) throw_bad_alloc(size);   \
        return must_new(size, alignment, WH_FAMILY_NEW, FRAME_HERE);                               \
    }                                                                                              \
    DEFINE(void *, _Znam##suffix, parameters) {                                                    \
        if (REPLACED(_Znwm##suffix)) return CURRENT(_Znwm##suffix) values;                         \
        if (!check_alignment(size, alignment, WH_FAMILY_NEW_ARRAY, FRAME_HERE))                    \
            throw_bad_alloc(size);                                                                 \
        return must_new(size, alignment, WH_FAMILY_NEW_ARRAY, FRAME_HERE);                         \
    }                                                                                              \
    NOTHROW(_Znwm, WH_FAMILY_NEW, suffix, values, nothrow_parameters, nothrow_values, alignment)   \
    NOTHROW(_Znam, WH_FAMILY_NEW_ARRAY, suffix, values, nothrow_parameters, nothrow_values,        \
            alignment)

NEW(, (size_t size), (size), (size_t size, const void *nothrow), (size, nothrow), NO_ALIGNMENT)
NEW(St11align_val_t, (size_t size, size_t alignment), (size, alignment),
    (size_t size, size_t alignment, const void *nothrow), (size, alignment, nothrow), alignment)

/* ---- delete, with the size and the alignment that the program passes along ---- */

#define UNUSED __attribute__((unused))

/* Whether the program's own malloc has made a block, perhaps by the runtime's. */
static WH_COLD int is_programs(const void *pointer) {
    if (!replaced_malloc()) return 0;
    struct block block = heap_block((uintptr_t)pointer);
    return !heap_begins_live(block, (uintptr_t)pointer) || block_family(block) == WH_FAMILY_MALLOC;
}

static inline void delete_as(void *pointer, const struct parting *parting,
                             const struct frame *frame) {
    if (WH_UNLIKELY(replaced_free() != NULL) && is_programs(pointer))
        replaced_free()(pointer);
    else
        release_as(pointer, parting, frame);
}

/* A form that, where the program replaced others, calls those. */
#define DELETE_AS(name, one, family, suffix, parameters, values, size, sized, alignment)           \
    DEFINE(void, name, parameters) {                                                               \
        const struct parting parting = {size, alignment, family, sized};                           \
        if (REPLACED(one##suffix))                                                                 \
            CURRENT(one##suffix) values;                                                           \
        else if (REPLACED(_ZdlPv##suffix))                                                         \
            CURRENT(_ZdlPv##suffix) values;                                                        \
        else                                                                                       \
            delete_as(pointer, &parting, FRAME_HERE);                                              \
    }

#define DELETE_BOTH(ending, suffix, parameters, values, size, sized, alignment)                    \
    DELETE_AS(_ZdlPv##ending, _ZdlPv, WH_FAMILY_NEW, suffix, parameters, values, size, sized,      \
              alignment)                                                                           \
    DELETE_AS(_ZdaPv##ending, _ZdaPv, WH_FAMILY_NEW_ARRAY, suffix, parameters, values, size,       \
              sized, alignment)

#define DELETE(suffix, parameters, values, sized_parameters, nothrow_parameters, alignment)        \
    DEFINE(void, _ZdlPv##suffix, parameters) {                                                     \
        const struct parting parting = {0, alignment, WH_FAMILY_NEW, 0};                           \
        delete_as(pointer, &parting, FRAME_HERE);                                                  \
    }                                                                                              \
    DEFINE(void, _ZdaPv##suffix, parameters) {                                                     \
        const struct parting parting = {0, alignment, WH_FAMILY_NEW_ARRAY, 0};                     \
        if (REPLACED(_ZdlPv##suffix))                                                              \
            CURRENT(_ZdlPv##suffix) values;                                                        \
        else                                                                                       \
            delete_as(pointer, &parting, FRAME_HERE);                                              \
    }                                                                                              \
    DELETE_BOTH(m##suffix, suffix, sized_parameters, values, size, 1, alignment)                   \
    DELETE_BOTH(suffix##RKSt9nothrow_t, suffix, nothrow_parameters, values, 0, 0, alignment)

DELETE(, (void *pointer), (pointer), (void *pointer, size_t size),
       (void *pointer, UNUSED const void *nothrow), 0)
DELETE(St11align_val_t, (void *pointer, size_t alignment), (pointer, alignment),
       (void *pointer, size_t size, size_t alignment),
       (void *pointer, size_t alignment, UNUSED const void *nothrow), alignment)
