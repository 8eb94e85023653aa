/* string.h: runs of bytes. */
#include <stdarg.h>
#include "check.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

WRAP(void *, memcpy, (void *to, const void *from, size_t size)) {
    READ(from, size);
    WRITE(to, size);
    RANGES_APART(to, from, size);
    COPIES(to, from, size);
    return memcpy(to, from, size);
}

WRAP(void *, memmove, (void *to, const void *from, size_t size)) {
    READ(from, size);
    WRITE(to, size);
    COPIES(to, from, size);
    return memmove(to, from, size);
}

WRAP(void *, mempcpy, (void *to, const void *from, size_t size)) {
    READ(from, size);
    WRITE(to, size);
    RANGES_APART(to, from, size);
    COPIES(to, from, size);
    return mempcpy(to, from, size);
}

WRAP(void *, __mempcpy, (void *to, const void *from, size_t size)) {
    READ(from, size);
    WRITE(to, size);
    RANGES_APART(to, from, size);
    COPIES(to, from, size);
    return mempcpy(to, from, size);
}

WRAP(void *, memset, (void *to, int byte, size_t size)) {
    WRITE(to, size);
    FILLS(to, size);
    return memset(to, byte, size);
}

WRAP(void, bcopy, (const void *from, void *to, size_t size)) {
    READ(from, size);
    WRITE(to, size);
    COPIES(to, from, size);
    bcopy(from, to, size);
}

WRAP(void *, memfrob, (void *at, size_t size)) {
    WRITE(at, size);
    return memfrob(at, size);
}

WRAP(void, bzero, (void *to, size_t size)) {
    WRITE(to, size);
    FILLS(to, size);
    bzero(to, size);
}

WRAP(void, explicit_bzero, (void *to, size_t size)) {
    WRITE(to, size);
    FILLS(to, size);
    explicit_bzero(to, size);
}

WRAP(void *, memccpy, (void *to, const void *from, int stop, size_t size)) {
    int found;
    size_t count = readable_until(from, stop, size, &found);
    if (!found && count < size) READ(from, count + 1);
    WRITE(to, count);
    RANGES_APART(to, from, count);
    COPIES(to, from, count);
    return memccpy(to, from, stop, size);
}

WRAP(int, memcmp, (const void *a, const void *b, size_t size)) {
    READ(a, size);
    READ(b, size);
    check_compared(SITE, a, b, size);
    return memcmp(a, b, size);
}

WRAP(int, bcmp, (const void *a, const void *b, size_t size)) {
    READ(a, size);
    READ(b, size);
    check_compared(SITE, a, b, size);
    return bcmp(a, b, size);
}

WRAP(void *, memchr, (const void *from, int byte, size_t size)) {
    check_used_until(SITE, from, byte, size);
    return memchr(from, byte, size);
}

WRAP(void *, rawmemchr, (const void *from, int byte)) {
    check_until(SITE, from, byte, NO_LIMIT);
    return rawmemchr(from, byte);
}

WRAP(void *, memrchr, (const void *from, int byte, size_t size)) {
    READ(from, size);
    return memrchr(from, byte, size);
}

WRAP(void *, memmem, (const void *hay, size_t hay_size, const void *needle, size_t needle_size)) {
    READ(hay, hay_size);
    READ(needle, needle_size);
    return memmem(hay, hay_size, needle, needle_size);
}

WRAP(void, swab, (const void *from, void *to, ssize_t size)) {
    size_t even = size > 0 ? (size_t)size & ~(size_t)1 : 0;
    READ(from, even);
    WRITE(to, even);
    COPIES(to, from, even);
    swab(from, to, size);
}

/* ---- with the destination's size known to the compiler ---- */

#define CHECKED_COPY(name, apart)                                                                  \
    void *name(void *, const void *, size_t, size_t);                                              \
    WRAP(void *, name, (void *to, const void *from, size_t size, size_t room)) {                   \
        READ(from, size);                                                                          \
        WRITE(to, size);                                                                           \
        apart;                                                                                     \
        COPIES(to, from, size);                                                                    \
        return name(to, from, size, room);                                                         \
    }

CHECKED_COPY(__memcpy_chk, RANGES_APART(to, from, size))
CHECKED_COPY(__memmove_chk, (void)0)
CHECKED_COPY(__mempcpy_chk, RANGES_APART(to, from, size))

void *__memset_chk(void *, int, size_t, size_t);
WRAP(void *, __memset_chk, (void *to, int byte, size_t size, size_t room)) {
    WRITE(to, size);
    FILLS(to, size);
    return __memset_chk(to, byte, size, room);
}

void __explicit_bzero_chk(void *, size_t, size_t);
WRAP(void, __explicit_bzero_chk, (void *to, size_t size, size_t room)) {
    WRITE(to, size);
    FILLS(to, size);
    __explicit_bzero_chk(to, size, room);
}
