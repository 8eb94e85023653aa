/* unistd.h, fcntl.h, sys/stat.h and their like: files by number and by name. */
#include <stdarg.h>
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- reading: what arrives may be less than what was asked for ---- */

static size_t arrived(ssize_t result) { return result > 0 ? (size_t)result : 0; }

WRAP(ssize_t, read, (int file, void *to, size_t size)) {
    struct bounce bounce = bounce_begin(SITE, to, size);
    ssize_t count = read(file, bounce.buffer, size);
    bounce_end(SITE, &bounce, arrived(count));
    return count;
}

ssize_t __read_chk(int, void *, size_t, size_t);
WRAP(ssize_t, __read_chk, (int file, void *to, size_t size, size_t room)) {
    struct bounce bounce = bounce_begin(SITE, to, size);
    ssize_t count = __read_chk(file, bounce.buffer, size, room);
    bounce_end(SITE, &bounce, arrived(count));
    return count;
}

#define READ_FROM(name, offset_type)                                                               \
    WRAP(ssize_t, name, (int file, void *to, size_t size, offset_type offset)) {                   \
        struct bounce bounce = bounce_begin(SITE, to, size);                                       \
        ssize_t count = name(file, bounce.buffer, size, offset);                                   \
        bounce_end(SITE, &bounce, arrived(count));                                                 \
        return count;                                                                              \
    }

#define READ_FROM_CHECKED(name, offset_type)                                                       \
    ssize_t name(int, void *, size_t, offset_type, size_t);                                        \
    WRAP(ssize_t, name, (int file, void *to, size_t size, offset_type offset, size_t room)) {      \
        struct bounce bounce = bounce_begin(SITE, to, size);                                       \
        ssize_t count = name(file, bounce.buffer, size, offset, room);                             \
        bounce_end(SITE, &bounce, arrived(count));                                                 \
        return count;                                                                              \
    }

READ_FROM(pread, off_t)
READ_FROM(pread64, off64_t)
READ_FROM_CHECKED(__pread_chk, off_t)
READ_FROM_CHECKED(__pread64_chk, off64_t)

/* ---- scattered ---- */

/* The first `total` bytes of the parts. */
static void check_parts(struct site site, const struct iovec *parts, int count, size_t total,
                        int write) {
    for (int i = 0; i < count && total; i++) {
        size_t size = parts[i].iov_len < total ? parts[i].iov_len : total;
        check_range(site, parts[i].iov_base, size, write, parts[i].iov_base);
        total -= size;
    }
}

static size_t table_size(int count) {
    return count > 0 ? times((size_t)count, sizeof(struct iovec)) : 0;
}

WRAP(ssize_t, readv, (int file, const struct iovec *parts, int count)) {
    READ(parts, table_size(count));
    ssize_t size = readv(file, parts, count);
    check_parts(SITE, parts, count, arrived(size), 1);
    return size;
}

WRAP(ssize_t, preadv, (int file, const struct iovec *parts, int count, off_t offset)) {
    READ(parts, table_size(count));
    ssize_t size = preadv(file, parts, count, offset);
    check_parts(SITE, parts, count, arrived(size), 1);
    return size;
}

WRAP(ssize_t, writev, (int file, const struct iovec *parts, int count)) {
    READ(parts, table_size(count));
    check_parts(SITE, parts, count, SIZE_MAX, 0);
    return writev(file, parts, count);
}

WRAP(ssize_t, pwritev, (int file, const struct iovec *parts, int count, off_t offset)) {
    READ(parts, table_size(count));
    check_parts(SITE, parts, count, SIZE_MAX, 0);
    return pwritev(file, parts, count, offset);
}

/* ---- writing ---- */

WRAP(ssize_t, write, (int file, const void *from, size_t size)) {
    READ(from, size);
    return write(file, from, size);
}

WRAP(ssize_t, pwrite, (int file, const void *from, size_t size, off_t offset)) {
    READ(from, size);
    return pwrite(file, from, size, offset);
}

WRAP(ssize_t, pwrite64, (int file, const void *from, size_t size, off64_t offset)) {
    READ(from, size);
    return pwrite64(file, from, size, offset);
}

/* ---- names; the kernel refuses a null pointer, which hurts nobody ---- */

#define PATH(type, name)                                                                           \
    WRAP(type, name, (const char *path)) {                                                         \
        READ_STRING_IF(path);                                                                      \
        return name(path);                                                                         \
    }

#define PATH_AND(type, name, second)                                                               \
    WRAP(type, name, (const char *path, second argument)) {                                        \
        READ_STRING_IF(path);                                                                      \
        return name(path, argument);                                                               \
    }

#define TWO_PATHS(name)                                                                            \
    WRAP(int, name, (const char *from, const char *to)) {                                          \
        READ_STRING_IF(from);                                                                      \
        READ_STRING_IF(to);                                                                        \
        return name(from, to);                                                                     \
    }

PATH(int, unlink)
PATH(int, rmdir)
PATH(int, chdir)
PATH(int, chroot)
PATH(DIR *, opendir)
PATH_AND(int, chmod, mode_t)
PATH_AND(int, mkdir, mode_t)
PATH_AND(int, creat, mode_t)
PATH_AND(int, mkfifo, mode_t)
PATH_AND(int, truncate, off_t)

/* __whence_access is the check of an access. */
int __whence_access_path(const char *path, int mode);
WH_EXPORT int __whence_access_path(const char *path, int mode) {
    if (path) check_until((struct site){"access", FRAME_HERE}, path, 0, NO_LIMIT);
    return access(path, mode);
}

TWO_PATHS(link)
TWO_PATHS(symlink)

/* The mode is there only if a file may be created; it is passed on as it comes. */
#define OPEN(name)                                                                                 \
    WRAP(int, name, (const char *path, int flags, ...)) {                                          \
        va_list arguments;                                                                         \
        va_start(arguments, flags);                                                                \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;               \
        va_end(arguments);                                                                         \
        READ_STRING_IF(path);                                                                      \
        return name(path, flags, mode);                                                            \
    }

OPEN(open)
OPEN(open64)

#define OPEN_AT(name)                                                                              \
    WRAP(int, name, (int directory, const char *path, int flags, ...)) {                           \
        va_list arguments;                                                                         \
        va_start(arguments, flags);                                                                \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;               \
        va_end(arguments);                                                                         \
        READ_STRING_IF(path);                                                                      \
        return name(directory, path, flags, mode);                                                 \
    }

OPEN_AT(openat)
OPEN_AT(openat64)

/* ---- status; in the C library from 2.33 on, before that in each program ---- */

#define STATUS(name, type)                                                                         \
    int name(const char *, struct type *) __attribute__((weak));                                   \
    WRAP(int, name, (const char *path, struct type *status)) {                                     \
        READ_STRING_IF(path);                                                                      \
        WRITE(status, sizeof *status);                                                             \
        return name(path, status);                                                                 \
    }

#define FILE_STATUS(name, type)                                                                    \
    int name(int, struct type *) __attribute__((weak));                                            \
    WRAP(int, name, (int file, struct type *status)) {                                             \
        WRITE(status, sizeof *status);                                                             \
        return name(file, status);                                                                 \
    }

STATUS(stat, stat)
STATUS(stat64, stat64)
STATUS(lstat, stat)
STATUS(lstat64, stat64)
FILE_STATUS(fstat, stat)
FILE_STATUS(fstat64, stat64)

/* ---- answers in a buffer ---- */

WRAP(char *, getcwd, (char *to, size_t size)) {
    if (!to) return getcwd(to, size);
    struct bounce bounce = bounce_begin(SITE, to, size);
    char *path = getcwd(bounce.buffer, size);
    bounce_end(SITE, &bounce, path ? strlen(path) + 1 : 0);
    return path ? to : NULL;
}

WRAP(ssize_t, readlink, (const char *path, char *to, size_t size)) {
    READ_STRING_IF(path);
    struct bounce bounce = bounce_begin(SITE, to, size);
    ssize_t count = readlink(path, bounce.buffer, size);
    bounce_end(SITE, &bounce, arrived(count));
    return count;
}

WRAP(int, gethostname, (char *to, size_t size)) {
    struct bounce bounce = bounce_begin(SITE, to, size);
    int result = gethostname(bounce.buffer, size);
    bounce_end(SITE, &bounce, result == 0 ? strnlen(bounce.buffer, size - 1) + 1 : 0);
    return result;
}

WRAP(int, pipe, (int *ends)) {
    WRITE(ends, 2 * sizeof *ends);
    return pipe(ends);
}

WRAP(int, pipe2, (int *ends, int flags)) {
    WRITE(ends, 2 * sizeof *ends);
    return pipe2(ends, flags);
}

WRAP(int, poll, (struct pollfd * files, nfds_t count, int timeout)) {
    WRITE(files, times(count, sizeof *files));
    return poll(files, count, timeout);
}

/* ---- programs ---- */

static void check_vector(struct site site, char *const *vector) {
    for (size_t i = 0; vector; i++) {
        check_range(site, vector, (i + 1) * sizeof *vector, 0, vector);
        if (!access_clean((uintptr_t)&vector[i], sizeof *vector) || !vector[i]) return;
        check_until(site, vector[i], 0, NO_LIMIT);
    }
}

WRAP(int, execv, (const char *path, char *const arguments[])) {
    READ_STRING_IF(path);
    check_vector(SITE, arguments);
    return execv(path, arguments);
}

WRAP(int, execvp, (const char *path, char *const arguments[])) {
    READ_STRING_IF(path);
    check_vector(SITE, arguments);
    return execvp(path, arguments);
}

WRAP(int, execve, (const char *path, char *const arguments[], char *const environment[])) {
    READ_STRING_IF(path);
    check_vector(SITE, arguments);
    check_vector(SITE, environment);
    return execve(path, arguments, environment);
}
