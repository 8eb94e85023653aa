/* operator new and delete in every form, by their mangled names. */
#include "allocate.h"
#include "../os/text.h"

#include <dlfcn.h>

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
    void (*late)(void) = (void (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "_ZSt17__throw_bad_allocv");
    if (late) late();
    TEXT(message, 160);
    text_put(&message, "operator new found no memory for ");
    text_decimal(&message, size);
    text_put(&message, " bytes and no C++ library to throw std::bad_alloc");
    text_give_up(&message);
}

/* NULL only if there is no memory and no handler to make some. */
static void *try_new(size_t size, size_t alignment, uint8_t family, const struct frame *frame) {
    struct heap_request request = {size, alignment < 16 ? 16 : alignment, 0, 0, family, 0};
    for (;;) {
        void *pointer = allocate(&request, frame);
        if (WH_LIKELY(pointer)) return pointer;
        new_handler handler = std_get_new_handler ? std_get_new_handler() : NULL;
        if (!handler) return NULL;
        handler();
    }
}

static void *must_new(size_t size, size_t alignment, uint8_t family, const struct frame *frame) {
    void *pointer = try_new(size, alignment, family, frame);
    if (WH_UNLIKELY(!pointer)) throw_bad_alloc(size);
    return pointer;
}

#define NEW(name, family)                                                                          \
    WH_EXPORT void *_Z##name##m(size_t size) { return must_new(size, 16, family, FRAME_HERE); }    \
    WH_EXPORT void *_Z##name##mSt11align_val_t(size_t size, size_t alignment) {                    \
        return must_new(size, alignment, family, FRAME_HERE);                                      \
    }                                                                                              \
    WH_EXPORT void *_Z##name##mRKSt9nothrow_t(size_t size, const void *nothrow) {                  \
        (void)nothrow;                                                                             \
        return try_new(size, 16, family, FRAME_HERE);                                              \
    }                                                                                              \
    WH_EXPORT void *_Z##name##mSt11align_val_tRKSt9nothrow_t(size_t size, size_t alignment,        \
                                                             const void *nothrow) {                \
        (void)nothrow;                                                                             \
        return try_new(size, alignment, family, FRAME_HERE);                                       \
    }                                                                                              \
    ALIAS(_Z##name##m);                                                                            \
    ALIAS(_Z##name##mSt11align_val_t);                                                             \
    ALIAS(_Z##name##mRKSt9nothrow_t);                                                              \
    ALIAS(_Z##name##mSt11align_val_tRKSt9nothrow_t)

#define UNUSED __attribute__((unused))
#define DELETE_AS(name, family, ...)                                                               \
    WH_EXPORT void name(__VA_ARGS__) { release(pointer, family, FRAME_HERE); }                     \
    ALIAS(name)

/* The size and alignment that the compiler passes along say nothing new. */
#define DELETE(name, family)                                                                       \
    DELETE_AS(_Z##name##Pv, family, void *pointer);                                                \
    DELETE_AS(_Z##name##Pvm, family, void *pointer, UNUSED size_t size);                           \
    DELETE_AS(_Z##name##PvRKSt9nothrow_t, family, void *pointer, UNUSED const void *nothrow);      \
    DELETE_AS(_Z##name##PvSt11align_val_t, family, void *pointer, UNUSED size_t alignment);        \
    DELETE_AS(_Z##name##PvmSt11align_val_t, family, void *pointer, UNUSED size_t size,             \
              UNUSED size_t alignment);                                                            \
    DELETE_AS(_Z##name##PvSt11align_val_tRKSt9nothrow_t, family, void *pointer,                    \
              UNUSED size_t alignment, UNUSED const void *nothrow)

NEW(nw, WH_FAMILY_NEW);
NEW(na, WH_FAMILY_NEW_ARRAY);
DELETE(dl, WH_FAMILY_NEW);
DELETE(da, WH_FAMILY_NEW_ARRAY);
