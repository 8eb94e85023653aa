/* stdio.h: streams pass large buffers on to the kernel. */
#include <stdarg.h>
#include "../check.h"

#include <stdio.h>

#define READ_ITEMS(name)                                                                           \
    WRAP(size_t, name, (void *to, size_t size, size_t count, FILE *stream)) {                      \
        STREAM(stream);                                                                            \
        struct intake intake = INTAKE(stream);                                                     \
        struct bounce bounce = bounce_begin(SITE, to, bytes_of(count, size));                      \
        size_t items = NEXT(name)(bounce.buffer, size, count, stream);                             \
        TRIED(stream, size && items < count);                                                      \
        bounce_end(SITE, &bounce, items * size);                                                   \
        CAME_FROM_STREAM(SITE, &intake, to, items * size, items == count);                         \
        return items;                                                                              \
    }

READ_ITEMS(fread)
READ_ITEMS(fread_unlocked)

size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
WRAP(size_t, __fread_chk, (void *to, size_t room, size_t size, size_t count, FILE *stream)) {
    STREAM(stream);
    struct intake intake = INTAKE(stream);
    struct bounce bounce = bounce_begin(SITE, to, bytes_of(count, size));
    size_t items = NEXT(__fread_chk)(bounce.buffer, room, size, count, stream);
    TRIED(stream, size && items < count);
    bounce_end(SITE, &bounce, items * size);
    CAME_FROM_STREAM(SITE, &intake, to, items * size, items == count);
    return items;
}

#define WRITE_ITEMS(name)                                                                          \
    WRAP(size_t, name, (const void *from, size_t size, size_t count, FILE *stream)) {              \
        USE(from, bytes_of(count, size));                                                          \
        STREAM(stream);                                                                            \
        size_t items = NEXT(name)(from, size, count, stream);                                      \
        TRIED(stream, size && items < count);                                                      \
        if (IS_HEARD(left)) left_to_stream(SITE, stream, from, (int64_t)(items * size));           \
        return items;                                                                              \
    }

WRITE_ITEMS(fwrite)
WRITE_ITEMS(fwrite_unlocked)
