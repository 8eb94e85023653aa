/* unistd.h, fcntl.h, sys/stat.h and their like: files by number and by name. */
#include <stdarg.h>
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utime.h>

/* ---- reading: what arrives may be less than was requested ---- */

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
    if (!total || count <= 0 || !is_there(parts, times((size_t)count, sizeof *parts))) return;
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

WRAP(ssize_t, preadv64, (int file, const struct iovec *parts, int count, off64_t offset)) {
    READ(parts, table_size(count));
    ssize_t size = preadv64(file, parts, count, offset);
    check_parts(SITE, parts, count, arrived(size), 1);
    return size;
}

WRAP(ssize_t, pwritev64, (int file, const struct iovec *parts, int count, off64_t offset)) {
    READ(parts, table_size(count));
    check_parts(SITE, parts, count, SIZE_MAX, 0);
    return pwritev64(file, parts, count, offset);
}

/* ---- from file to file: only the places are memory ---- */

#define SEND_FILE(name, offset_type)                                                               \
    WRAP(ssize_t, name, (int to, int from, offset_type *place, size_t size)) {                     \
        WRITE_IF(place, sizeof *place);                                                            \
        return name(to, from, place, size);                                                        \
    }

#define COPY_FILE(name)                                                                            \
    WRAP(                                                                                          \
        ssize_t, name,                                                                             \
        (int from, off64_t *from_place, int to, off64_t *to_place, size_t size, unsigned flags)) { \
        WRITE_IF(from_place, sizeof *from_place);                                                  \
        WRITE_IF(to_place, sizeof *to_place);                                                      \
        return name(from, from_place, to, to_place, size, flags);                                  \
    }

SEND_FILE(sendfile, off_t)
SEND_FILE(sendfile64, off64_t)
COPY_FILE(splice)
COPY_FILE(copy_file_range)

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

/* ---- names; the kernel refuses a null pointer without harm ---- */

#define PATH(type, name)                                                                           \
    WRAP(type, name, (const char *path)) {                                                         \
        READ_PATH(path);                                                                           \
        return name(path);                                                                         \
    }

#define PATH_AND(type, name, second)                                                               \
    WRAP(type, name, (const char *path, second argument)) {                                        \
        READ_PATH(path);                                                                           \
        return name(path, argument);                                                               \
    }

#define TWO_PATHS(name)                                                                            \
    WRAP(int, name, (const char *from, const char *to)) {                                          \
        READ_PATH(from);                                                                           \
        READ_PATH(to);                                                                             \
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

PATH_AND(int, creat64, mode_t)
PATH_AND(int, truncate64, off64_t)

#define PATH_AND_TWO(name, second, third)                                                          \
    WRAP(int, name, (const char *path, second argument, third another)) {                          \
        READ_PATH(path);                                                                           \
        return name(path, argument, another);                                                      \
    }

PATH_AND_TWO(chown, uid_t, gid_t)
PATH_AND_TWO(lchown, uid_t, gid_t)
/* In a library of their own before 2.34. */
int shm_open(const char *, int, mode_t) __attribute__((weak));
int shm_unlink(const char *) __attribute__((weak));
PATH_AND_TWO(shm_open, int, mode_t)
PATH(int, shm_unlink)
PATH(int, sem_unlink)
PATH_AND(int, memfd_create, unsigned)

/* From 2.33 on in the C library, before that in each program. */
int mknod(const char *, mode_t, dev_t) __attribute__((weak));
int mknodat(int, const char *, mode_t, dev_t) __attribute__((weak));
PATH_AND_TWO(mknod, mode_t, dev_t)

#define AT(type, name, parameters, call)                                                           \
    WRAP(type, name, parameters) {                                                                 \
        READ_PATH(path);                                                                           \
        return call;                                                                               \
    }

AT(int, mkdirat, (int directory, const char *path, mode_t mode), mkdirat(directory, path, mode))
AT(int, mkfifoat, (int directory, const char *path, mode_t mode), mkfifoat(directory, path, mode))
AT(int, mknodat, (int directory, const char *path, mode_t mode, dev_t device),
   mknodat(directory, path, mode, device))
AT(int, unlinkat, (int directory, const char *path, int flags), unlinkat(directory, path, flags))
AT(int, fchmodat, (int directory, const char *path, mode_t mode, int flags),
   fchmodat(directory, path, mode, flags))
AT(int, faccessat, (int directory, const char *path, int mode, int flags),
   faccessat(directory, path, mode, flags))
AT(int, fchownat, (int directory, const char *path, uid_t user, gid_t group, int flags),
   fchownat(directory, path, user, group, flags))
AT(int, inotify_add_watch, (int queue, const char *path, uint32_t mask),
   inotify_add_watch(queue, path, mask))

WRAP(int, linkat,
     (int from_directory, const char *from, int to_directory, const char *to, int flags)) {
    READ_PATH(from);
    READ_PATH(to);
    return linkat(from_directory, from, to_directory, to, flags);
}

WRAP(int, symlinkat, (const char *from, int directory, const char *to)) {
    READ_PATH(from);
    READ_PATH(to);
    return symlinkat(from, directory, to);
}

/* ---- times; the present if there are none ---- */

WRAP(int, utime, (const char *path, const struct utimbuf *moments)) {
    READ_PATH(path);
    READ_IF(moments, sizeof *moments);
    return utime(path, moments);
}

#define MOMENTS(name, key_type, check, moment)                                                     \
    WRAP(int, name, (key_type key, const struct moment moments[2])) {                              \
        check;                                                                                     \
        READ_IF(moments, 2 * sizeof *moments);                                                     \
        return name(key, moments);                                                                 \
    }

MOMENTS(utimes, const char *, READ_PATH(key), timeval)
MOMENTS(lutimes, const char *, READ_PATH(key), timeval)
MOMENTS(futimes, int, (void)0, timeval)
MOMENTS(futimens, int, (void)0, timespec)

WRAP(int, utimensat,
     (int directory, const char *path, const struct timespec moments[2], int flags)) {
    READ_PATH(path);
    READ_IF(moments, 2 * sizeof *moments);
    return utimensat(directory, path, moments, flags);
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
        READ_PATH(path);                                                                           \
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
        READ_PATH(path);                                                                           \
        return name(directory, path, flags, mode);                                                 \
    }

OPEN_AT(openat)
OPEN_AT(openat64)

/* ---- status; in the C library from 2.33 on, before that in each program ---- */

#define STATUS(name, type)                                                                         \
    int name(const char *, struct type *) __attribute__((weak));                                   \
    WRAP(int, name, (const char *path, struct type *status)) {                                     \
        READ_PATH(path);                                                                           \
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
STATUS(statfs, statfs)
STATUS(statfs64, statfs64)
STATUS(statvfs, statvfs)
STATUS(statvfs64, statvfs64)
FILE_STATUS(fstatfs, statfs)
FILE_STATUS(fstatfs64, statfs64)
FILE_STATUS(fstatvfs, statvfs)
FILE_STATUS(fstatvfs64, statvfs64)

#define STATUS_AT(name, type)                                                                      \
    int name(int, const char *, struct type *, int) __attribute__((weak));                         \
    WRAP(int, name, (int directory, const char *path, struct type *status, int flags)) {           \
        READ_PATH(path);                                                                           \
        WRITE(status, sizeof *status);                                                             \
        return name(directory, path, status, flags);                                               \
    }

STATUS_AT(fstatat, stat)
STATUS_AT(fstatat64, stat64)

WRAP(int, statx,
     (int directory, const char *path, int flags, unsigned mask, struct statx *status)) {
    READ_PATH(path);
    WRITE(status, sizeof *status);
    return statx(directory, path, flags, mask, status);
}

/* ---- answers in a buffer ---- */

WRAP(char *, getcwd, (char *to, size_t size)) {
    if (!to) return getcwd(to, size);
    struct bounce bounce = bounce_begin(SITE, to, size);
    char *path = getcwd(bounce.buffer, size);
    bounce_end(SITE, &bounce, path ? strlen(path) + 1 : 0);
    return path ? to : NULL;
}

char *__getcwd_chk(char *, size_t, size_t);
WRAP(char *, __getcwd_chk, (char *to, size_t size, size_t room)) {
    if (!to) return __getcwd_chk(to, size, room);
    struct bounce bounce = bounce_begin(SITE, to, size);
    char *path = __getcwd_chk(bounce.buffer, size, room);
    bounce_end(SITE, &bounce, path ? strlen(path) + 1 : 0);
    return path ? to : NULL;
}

WRAP(char *, getwd, (char *to)) {
    char path[PATH_MAX];
    if (!to || !getcwd(path, sizeof path)) return NULL;
    WRITE(to, strlen(path) + 1);
    return strcpy(to, path);
}

ssize_t __readlink_chk(const char *, char *, size_t, size_t);
WRAP(ssize_t, __readlink_chk, (const char *path, char *to, size_t size, size_t room)) {
    READ_PATH(path);
    struct bounce bounce = bounce_begin(SITE, to, size);
    ssize_t count = __readlink_chk(path, bounce.buffer, size, room);
    bounce_end(SITE, &bounce, arrived(count));
    return count;
}

WRAP(ssize_t, readlinkat, (int directory, const char *path, char *to, size_t size)) {
    READ_PATH(path);
    struct bounce bounce = bounce_begin(SITE, to, size);
    ssize_t count = readlinkat(directory, path, bounce.buffer, size);
    bounce_end(SITE, &bounce, arrived(count));
    return count;
}

#define NAME_OF(name)                                                                              \
    WRAP(int, name, (int file, char *to, size_t size)) {                                           \
        struct bounce bounce = bounce_begin(SITE, to, size);                                       \
        int result = name(file, bounce.buffer, size);                                              \
        bounce_end(SITE, &bounce, result == 0 ? strlen(bounce.buffer) + 1 : 0);                    \
        return result;                                                                             \
    }

NAME_OF(ttyname_r)
NAME_OF(ptsname_r)

WRAP(int, getlogin_r, (char *to, size_t size)) {
    struct bounce bounce = bounce_begin(SITE, to, size);
    int result = getlogin_r(bounce.buffer, size);
    bounce_end(SITE, &bounce, result == 0 ? strlen(bounce.buffer) + 1 : 0);
    return result;
}

WRAP(int, getdomainname, (char *to, size_t size)) {
    struct bounce bounce = bounce_begin(SITE, to, size);
    int result = getdomainname(bounce.buffer, size);
    bounce_end(SITE, &bounce, result == 0 ? strnlen(bounce.buffer, size - 1) + 1 : 0);
    return result;
}

WRAP(ssize_t, readlink, (const char *path, char *to, size_t size)) {
    READ_PATH(path);
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
        if (!access_clean((uintptr_t)&vector[i], sizeof *vector)) return;
        if (!is_there(&vector[i], sizeof *vector) || !vector[i]) return;
        if (is_text_there(vector[i])) check_until(site, vector[i], 0, NO_LIMIT);
    }
}

WRAP(int, execv, (const char *path, char *const arguments[])) {
    READ_PATH(path);
    check_vector(SITE, arguments);
    return execv(path, arguments);
}

WRAP(int, execvp, (const char *path, char *const arguments[])) {
    READ_PATH(path);
    check_vector(SITE, arguments);
    return execvp(path, arguments);
}

WRAP(int, execvpe, (const char *path, char *const arguments[], char *const environment[])) {
    READ_PATH(path);
    check_vector(SITE, arguments);
    check_vector(SITE, environment);
    return execvpe(path, arguments, environment);
}

WRAP(int, execve, (const char *path, char *const arguments[], char *const environment[])) {
    READ_PATH(path);
    check_vector(SITE, arguments);
    check_vector(SITE, environment);
    return execve(path, arguments, environment);
}

/* Both forms of posix_spawn, whose other arguments are the library's own objects. */
#define SPAWN(name)                                                                                \
    WRAP(int, name,                                                                                \
         (pid_t * process, const char *path, const posix_spawn_file_actions_t *actions,            \
          const posix_spawnattr_t *attributes, char *const arguments[],                            \
          char *const environment[])) {                                                            \
        READ_STRING(path);                                                                         \
        WRITE_IF(process, sizeof *process);                                                        \
        READ_IF(actions, sizeof *actions);                                                         \
        READ_IF(attributes, sizeof *attributes);                                                   \
        check_vector(SITE, arguments);                                                             \
        check_vector(SITE, environment);                                                           \
        return name(process, path, actions, attributes, arguments, environment);                   \
    }

SPAWN(posix_spawn)
SPAWN(posix_spawnp)
