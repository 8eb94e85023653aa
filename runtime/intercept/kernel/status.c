/* sys/stat.h, sys/statfs.h, unistd.h: what the system knows of files, and names. */
#include <stdarg.h>
#include "../check.h"
#include "../../process/program.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* ---- status; in the C library from 2.33 on, before that in a part of it that is linked to each
 * program, and so to the runtime ---- */

#define STATUS(name, type)                                                                         \
    WRAP(int, name, (const char *path, struct type *status)) {                                     \
        READ_PATH(path);                                                                           \
        WRITE(status, sizeof *status);                                                             \
        return NEXT(name)(path, status);                                                           \
    }

/* Programs ask by fstat whether a descriptor is open. */
#define FILE_STATUS(name, type, judged)                                                            \
    WRAP(int, name, (int file, struct type *status)) {                                             \
        WRITE(status, sizeof *status);                                                             \
        int result = NEXT(name)(file, status);                                                     \
        return judged;                                                                             \
    }

STATUS(stat, stat)
STATUS(stat64, stat64)
STATUS(lstat, stat)
STATUS(lstat64, stat64)
FILE_STATUS(fstat, stat, result)
FILE_STATUS(fstat64, stat64, result)
STATUS(statfs, statfs)
STATUS(statfs64, statfs64)
STATUS(statvfs, statvfs)
STATUS(statvfs64, statvfs64)
FILE_STATUS(fstatfs, statfs, (int)USED(file, result))
FILE_STATUS(fstatfs64, statfs64, (int)USED(file, result))
FILE_STATUS(fstatvfs, statvfs, (int)USED(file, result))
FILE_STATUS(fstatvfs64, statvfs64, (int)USED(file, result))

/* Later kernels take a null pointer for an empty name. */
#define READ_NAME(path, flags) ((flags) & AT_EMPTY_PATH ? READ_PATH_IF(path) : READ_PATH(path))

#define STATUS_AT(name, type)                                                                      \
    WRAP(int, name, (int directory, const char *path, struct type *status, int flags)) {           \
        READ_NAME(path, flags);                                                                    \
        WRITE(status, sizeof *status);                                                             \
        return USED_AT(directory, path, NEXT(name)(directory, path, status, flags));               \
    }

STATUS_AT(fstatat, stat)
STATUS_AT(fstatat64, stat64)

/* What programs call that were linked to an earlier C library. */
#define OLD_STATUS(name, key_type, check, type)                                                    \
    int name(int, key_type, struct type *) __attribute__((weak));                                  \
    WRAP(int, name, (int version, key_type key, struct type *status)) {                            \
        check;                                                                                     \
        WRITE(status, sizeof *status);                                                             \
        return NEXT(name)(version, key, status);                                                   \
    }

OLD_STATUS(__xstat, const char *, READ_PATH(key), stat)
OLD_STATUS(__xstat64, const char *, READ_PATH(key), stat64)
OLD_STATUS(__lxstat, const char *, READ_PATH(key), stat)
OLD_STATUS(__lxstat64, const char *, READ_PATH(key), stat64)
OLD_STATUS(__fxstat, int, (void)0, stat)
OLD_STATUS(__fxstat64, int, (void)0, stat64)

#define OLD_STATUS_AT(name, type)                                                                  \
    int name(int, int, const char *, struct type *, int) __attribute__((weak));                    \
    WRAP(int, name,                                                                                \
         (int version, int directory, const char *path, struct type *status, int flags)) {         \
        READ_PATH(path);                                                                           \
        WRITE(status, sizeof *status);                                                             \
        return USED_AT(directory, path, NEXT(name)(version, directory, path, status, flags));      \
    }

OLD_STATUS_AT(__fxstatat, stat)
OLD_STATUS_AT(__fxstatat64, stat64)

/* Without a path and a place for the answer it is the question whether the kernel has the call: it
 * answers EFAULT then, as Rust's library expects. */
WRAP(int, statx,
     (int directory, const char *path, int flags, unsigned mask, struct statx *status)) {
    if (path || status) {
        READ_NAME(path, flags);
        WRITE(status, sizeof *status);
    }
    return USED_AT(directory, path, NEXT(statx)(directory, path, flags, mask, status));
}

/* ---- answers in a buffer ---- */

#define DIRECTORY(name, parameters, own, others)                                                   \
    WRAP(char *, name, parameters) {                                                               \
        if (!to) return NEXT(name) own;                                                            \
        struct bounce bounce = bounce_begin(SITE, to, size);                                       \
        char *path = NEXT(name) others;                                                            \
        bounce_end(SITE, &bounce, path ? strlen(path) + 1 : 0);                                    \
        return path ? to : NULL;                                                                   \
    }

DIRECTORY(getcwd, (char *to, size_t size), (to, size), (bounce.buffer, size))
char *__getcwd_chk(char *, size_t, size_t);
DIRECTORY(__getcwd_chk, (char *to, size_t size, size_t room), (to, size, room),
          (bounce.buffer, size, room))

WRAP(char *, getwd, (char *to)) {
    char path[PATH_MAX];
    if (!to || !NEXT(getcwd)(path, sizeof path)) return NULL;
    WRITE(to, strlen(path) + 1);
    return strcpy(to, path);
}

#define LINK(name, parameters, arguments, after)                                                   \
    FILLING(name, parameters, READ_PATH(path),                                                     \
            program_has_link(path, bounce.buffer, size) ? program_link(bounce.buffer, size)        \
                                                        : NEXT(name) arguments,                    \
            after, (void)0)

LINK(readlink, (const char *path, char *to, size_t size), (path, bounce.buffer, size), (void)0)
LINK(readlinkat, (int directory, const char *path, char *to, size_t size),
     (directory, path, bounce.buffer, size), USED_AT(directory, path, (int)count))

ssize_t __readlink_chk(const char *, char *, size_t, size_t);
LINK(__readlink_chk, (const char *path, char *to, size_t size, size_t room),
     (path, bounce.buffer, size, room), (void)0)

ssize_t __readlinkat_chk(int, const char *, char *, size_t, size_t);
LINK(__readlinkat_chk, (int directory, const char *path, char *to, size_t size, size_t room),
     (directory, path, bounce.buffer, size, room), USED_AT(directory, path, (int)count))

#define NAME_OF(name)                                                                              \
    WRAP(int, name, (int file, char *to, size_t size)) {                                           \
        struct bounce bounce = bounce_begin(SITE, to, size);                                       \
        int result = NEXT(name)(file, bounce.buffer, size);                                        \
        bounce_end(SITE, &bounce, result == 0 ? strlen(bounce.buffer) + 1 : 0);                    \
        return result;                                                                             \
    }

NAME_OF(ttyname_r)
NAME_OF(ptsname_r)

WRAP(int, getlogin_r, (char *to, size_t size)) {
    struct bounce bounce = bounce_begin(SITE, to, size);
    int result = NEXT(getlogin_r)(bounce.buffer, size);
    bounce_end(SITE, &bounce, result == 0 ? strlen(bounce.buffer) + 1 : 0);
    return result;
}

#define NAME_OF_HOST(name)                                                                         \
    WRAP(int, name, (char *to, size_t size)) {                                                     \
        struct bounce bounce = bounce_begin(SITE, to, size);                                       \
        int result = NEXT(name)(bounce.buffer, size);                                              \
        bounce_end(SITE, &bounce, result == 0 ? strnlen(bounce.buffer, size - 1) + 1 : 0);         \
        return result;                                                                             \
    }

NAME_OF_HOST(gethostname)
NAME_OF_HOST(getdomainname)
