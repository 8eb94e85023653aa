/* unistd.h and sys/uio.h: bytes to and from files by number. */
#include <stdarg.h>
#include "../check.h"
#include "../scatter.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- reading: what arrives may be less than was requested ---- */

WRAP_FILLING_FROM(read, (int file, void *to, size_t size), file, HERE, (file, bounce.buffer, size))

ssize_t __read_chk(int, void *, size_t, size_t);
WRAP_FILLING_FROM(__read_chk, (int file, void *to, size_t size, size_t room), file, HERE,
                  (file, bounce.buffer, size, room))

#define READ_FROM(name, offset_type)                                                               \
    WRAP_FILLING_FROM(name, (int file, void *to, size_t size, offset_type offset), file, offset,   \
                      (file, bounce.buffer, size, offset))

#define READ_FROM_CHECKED(name, offset_type)                                                       \
    ssize_t name(int, void *, size_t, offset_type, size_t);                                        \
    WRAP_FILLING_FROM(name, (int file, void *to, size_t size, offset_type offset, size_t room),    \
                      file, offset, (file, bounce.buffer, size, offset, room))

READ_FROM(pread, off_t)
READ_FROM(pread64, off64_t)
READ_FROM_CHECKED(__pread_chk, off_t)
READ_FROM_CHECKED(__pread64_chk, off64_t)

/* ---- scattered ---- */

/* The parts by themselves, at a place, and at a place with flags. */
#define SCATTERED(name, parameters, offset, arguments)                                             \
    WRAP(ssize_t, name, parameters) {                                                              \
        struct scatter scatter = scatter_begin(SITE, parts, (size_t)count);                        \
        ssize_t size = USED(file, NEXT(name) arguments);                                           \
        scatter_end(SITE, &scatter, arrived(size));                                                \
        CAME_IN_PARTS(file, offset, parts, count, arrived(size));                                  \
        return size;                                                                               \
    }

#define GATHERED(name, parameters, offset, arguments)                                              \
    WRAP(ssize_t, name, parameters) {                                                              \
        check_gathered(SITE, parts, (size_t)count);                                                \
        announce_departs(NAME);                                                                    \
        ssize_t size = USED(file, NEXT(name) arguments);                                           \
        LEFT_IN_PARTS(file, offset, parts, count, size);                                           \
        return size;                                                                               \
    }

#define PARTS (int file, const struct iovec *parts, int count)
#define PARTS_AT(offset) (int file, const struct iovec *parts, int count, offset place)
#define PARTS_LIKE(offset) (int file, const struct iovec *parts, int count, offset place, int flags)

SCATTERED(readv, PARTS, HERE, (file, scatter.parts, count))
SCATTERED(preadv, PARTS_AT(off_t), place, (file, scatter.parts, count, place))
SCATTERED(preadv64, PARTS_AT(off64_t), place, (file, scatter.parts, count, place))
SCATTERED(preadv2, PARTS_LIKE(off_t), place, (file, scatter.parts, count, place, flags))
SCATTERED(preadv64v2, PARTS_LIKE(off64_t), place, (file, scatter.parts, count, place, flags))
GATHERED(writev, PARTS, HERE, (file, parts, count))
GATHERED(pwritev, PARTS_AT(off_t), place, (file, parts, count, place))
GATHERED(pwritev64, PARTS_AT(off64_t), place, (file, parts, count, place))
GATHERED(pwritev2, PARTS_LIKE(off_t), place, (file, parts, count, place, flags))
GATHERED(pwritev64v2, PARTS_LIKE(off64_t), place, (file, parts, count, place, flags))
GATHERED(vmsplice, (int file, const struct iovec *parts, size_t count, unsigned flags), HERE,
         (file, parts, count, flags))

/* ---- from and to the memory of another process, which is not looked at ---- */

WRAP(ssize_t, process_vm_readv,
     (pid_t process, const struct iovec *parts, unsigned long count, const struct iovec *there,
      unsigned long there_count, unsigned long flags)) {
    READ(there, bytes_of(there_count, sizeof *there));
    struct scatter scatter = scatter_begin(SITE, parts, count);
    ssize_t size = NEXT(process_vm_readv)(process, scatter.parts, count, there, there_count, flags);
    scatter_end(SITE, &scatter, arrived(size));
    return size;
}

WRAP(ssize_t, process_vm_writev,
     (pid_t process, const struct iovec *parts, unsigned long count, const struct iovec *there,
      unsigned long there_count, unsigned long flags)) {
    READ(there, bytes_of(there_count, sizeof *there));
    check_gathered(SITE, parts, count);
    return NEXT(process_vm_writev)(process, parts, count, there, there_count, flags);
}

/* ---- from file to file: only the places are memory ---- */

#define SEND_FILE(name, offset_type)                                                               \
    WRAP(ssize_t, name, (int to, int from, offset_type *place, size_t size)) {                     \
        WRITE_IF(place, sizeof *place);                                                            \
        return USED(from, USED(to, NEXT(name)(to, from, place, size)));                            \
    }

#define COPY_FILE(name)                                                                            \
    WRAP(                                                                                          \
        ssize_t, name,                                                                             \
        (int from, off64_t *from_place, int to, off64_t *to_place, size_t size, unsigned flags)) { \
        WRITE_IF(from_place, sizeof *from_place);                                                  \
        WRITE_IF(to_place, sizeof *to_place);                                                      \
        return USED(from, USED(to, NEXT(name)(from, from_place, to, to_place, size, flags)));      \
    }

SEND_FILE(sendfile, off_t)
SEND_FILE(sendfile64, off64_t)
COPY_FILE(splice)
COPY_FILE(copy_file_range)

/* ---- writing ---- */

WRAP(ssize_t, write, (int file, const void *from, size_t size)) {
    USE(from, size);
    announce_departs(NAME);
    ssize_t count = USED(file, NEXT(write)(file, from, size));
    LEFT_TO(file, HERE, from, count);
    return count;
}

WRAP(ssize_t, pwrite, (int file, const void *from, size_t size, off_t offset)) {
    USE(from, size);
    announce_departs(NAME);
    ssize_t count = USED(file, NEXT(pwrite)(file, from, size, offset));
    LEFT_TO(file, offset, from, count);
    return count;
}

WRAP(ssize_t, pwrite64, (int file, const void *from, size_t size, off64_t offset)) {
    USE(from, size);
    announce_departs(NAME);
    ssize_t count = USED(file, NEXT(pwrite64)(file, from, size, offset));
    LEFT_TO(file, offset, from, count);
    return count;
}

/* ---- entries of a directory ---- */

#define ENTRIES(name, offset_type)                                                                 \
    WRAP(ssize_t, name, (int file, char *to, size_t size, offset_type *place)) {                   \
        WRITE(place, sizeof *place);                                                               \
        struct bounce bounce = bounce_begin(SITE, to, size);                                       \
        ssize_t count = USED(file, NEXT(name)(file, bounce.buffer, size, place));                  \
        bounce_end(SITE, &bounce, arrived(count));                                                 \
        return count;                                                                              \
    }

ENTRIES(getdirentries, off_t)
ENTRIES(getdirentries64, off64_t)

/* From 2.30 on. */
ssize_t getdents64(int, void *, size_t) __attribute__((weak));
WRAP_FILLING_FROM(getdents64, (int file, void *to, size_t size), -1, HERE,
                  (file, bounce.buffer, size))
