/* unistd.h, fcntl.h, sys/stat.h and their like: files by name. */
#include <stdarg.h>
#include "../check.h"

#include <dirent.h>
#include <fcntl.h>
#include <semaphore.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

/* ---- names ---- */

#define PATH(type, name)                                                                           \
    WRAP(type, name, (const char *path)) {                                                         \
        READ_PATH(path);                                                                           \
        return NEXT(name)(path);                                                                   \
    }

#define PATH_AND(type, name, second)                                                               \
    WRAP(type, name, (const char *path, second argument)) {                                        \
        READ_PATH(path);                                                                           \
        return NEXT(name)(path, argument);                                                         \
    }

#define PATH_AND_OPEN(name, second)                                                                \
    WRAP(int, name, (const char *path, second argument)) {                                         \
        READ_PATH(path);                                                                           \
        return OPENED(NEXT(name)(path, argument));                                                 \
    }

#define TWO_PATHS(name)                                                                            \
    WRAP(int, name, (const char *from, const char *to)) {                                          \
        READ_PATH(from);                                                                           \
        READ_PATH(to);                                                                             \
        return NEXT(name)(from, to);                                                               \
    }

PATH(int, unlink)
PATH(int, rmdir)
PATH(int, chdir)

WRAP(int, chroot, (const char *path)) {
    READ_PATH(path);
    port_before_leaving();
    return NEXT(chroot)(path);
}

PATH(int, umount)
PATH(int, swapoff)

WRAP(DIR *, opendir, (const char *path)) {
    READ_PATH(path);
    DIR *directory = NEXT(opendir)(path);
    if (directory && descriptors_watched()) OPENED(dirfd(directory));
    return directory;
}

PATH_AND(int, chmod, mode_t)
PATH_AND(int, mkdir, mode_t)
PATH_AND_OPEN(creat, mode_t)
PATH_AND(int, mkfifo, mode_t)
PATH_AND(int, truncate, off_t)
PATH_AND(int, umount2, int)
PATH_AND(int, swapon, int)
PATH_AND(long, pathconf, int)
PATH_AND(key_t, ftok, int)
PATH_AND(int, eaccess, int)
PATH_AND(int, euidaccess, int)

/* __whence_access is the check of an access. */
WRAP_AS(int, access, access_path, (const char *path, int mode)) {
    check_path((struct site){"access", FRAME_HERE}, path);
    return NEXT(access)(path, mode);
}

PATH_AND_OPEN(creat64, mode_t)
PATH_AND(int, truncate64, off64_t)

#define PATH_AND_TWO(name, second, third)                                                          \
    WRAP(int, name, (const char *path, second argument, third another)) {                          \
        READ_PATH(path);                                                                           \
        return NEXT(name)(path, argument, another);                                                \
    }

PATH_AND_TWO(chown, uid_t, gid_t)
PATH_AND_TWO(lchown, uid_t, gid_t)
/* In a library of their own before 2.34. */
int shm_open(const char *, int, mode_t) __attribute__((weak));
int shm_unlink(const char *) __attribute__((weak));
WRAP(int, shm_open, (const char *path, int flags, mode_t mode)) {
    READ_PATH(path);
    return OPENED(NEXT(shm_open)(path, flags, mode));
}

PATH(int, shm_unlink)
PATH(int, sem_unlink)
PATH_AND_OPEN(memfd_create, unsigned)

PATH_AND_TWO(mknod, mode_t, dev_t)

#define AT(type, name, parameters, call)                                                           \
    WRAP(type, name, parameters) {                                                                 \
        READ_PATH(path);                                                                           \
        return USED_AT(directory, path, call);                                                     \
    }

AT(int, mkdirat, (int directory, const char *path, mode_t mode),
   NEXT(mkdirat)(directory, path, mode))
AT(int, mkfifoat, (int directory, const char *path, mode_t mode),
   NEXT(mkfifoat)(directory, path, mode))
AT(int, mknodat, (int directory, const char *path, mode_t mode, dev_t device),
   NEXT(mknodat)(directory, path, mode, device))
AT(int, unlinkat, (int directory, const char *path, int flags),
   NEXT(unlinkat)(directory, path, flags))
AT(int, fchmodat, (int directory, const char *path, mode_t mode, int flags),
   NEXT(fchmodat)(directory, path, mode, flags))
AT(int, faccessat, (int directory, const char *path, int mode, int flags),
   NEXT(faccessat)(directory, path, mode, flags))
AT(int, fchownat, (int directory, const char *path, uid_t user, gid_t group, int flags),
   NEXT(fchownat)(directory, path, user, group, flags))

/* Without a name, accounting ends. */
WRAP(int, acct, (const char *path)) {
    READ_PATH_IF(path);
    return NEXT(acct)(path);
}

/* Data is what the file system makes of it. */
WRAP(int, mount,
     (const char *source, const char *path, const char *type, unsigned long flags,
      const void *data)) {
    READ_PATH_IF(source);
    READ_PATH(path);
    READ_PATH_IF(type);
    return NEXT(mount)(source, path, type, flags, data);
}

/* No header declares it. */
int pivot_root(const char *, const char *);

WRAP(int, pivot_root, (const char *from, const char *to)) {
    READ_PATH(from);
    READ_PATH(to);
    port_before_leaving();
    return NEXT(pivot_root)(from, to);
}

WRAP(int, fanotify_mark,
     (int queue, unsigned flags, uint64_t mask, int directory, const char *path)) {
    READ_PATH_IF(path);
    return (int)USED(queue, NEXT(fanotify_mark)(queue, flags, mask, directory, path));
}

/* How much of the handle there is, it says itself; what it needs is stored. */
WRAP(int, name_to_handle_at,
     (int directory, const char *path, struct file_handle *handle, int *mount, int flags)) {
    READ_PATH(path);
    WRITE(mount, sizeof *mount);
    check_structure(SITE, handle, sizeof *handle, 1);
    if (is_there(handle, sizeof *handle))
        check_used(SITE, &handle->handle_bytes, sizeof handle->handle_bytes);
    int result = NEXT(name_to_handle_at)(directory, path, handle, mount, flags);
    if (result == 0) WROTE(handle, sizeof *handle + handle->handle_bytes);
    return USED_AT(directory, path, result);
}

WRAP(int, open_by_handle_at, (int mount, struct file_handle *handle, int flags)) {
    check_structure(SITE, handle, sizeof *handle, 0);
    if (is_there(handle, sizeof *handle)) {
        check_used(SITE, handle, sizeof *handle);
        check_structure(SITE, handle->f_handle, handle->handle_bytes, 0);
    }
    return OPENED(NEXT(open_by_handle_at)(mount, handle, flags));
}

WRAP(int, inotify_add_watch, (int queue, const char *path, uint32_t mask)) {
    READ_PATH(path);
    return (int)USED(queue, NEXT(inotify_add_watch)(queue, path, mask));
}

WRAP(int, linkat,
     (int from_directory, const char *from, int to_directory, const char *to, int flags)) {
    READ_PATH(from);
    READ_PATH(to);
    int result = NEXT(linkat)(from_directory, from, to_directory, to, flags);
    return USED_AT(from_directory, from, USED_AT(to_directory, to, result));
}

WRAP(int, symlinkat, (const char *from, int directory, const char *to)) {
    READ_PATH(from);
    READ_PATH(to);
    return USED_AT(directory, to, NEXT(symlinkat)(from, directory, to));
}

/* ---- moments; the present if there are none ---- */

WRAP(int, utime, (const char *path, const struct utimbuf *moments)) {
    READ_PATH(path);
    USE_IF(moments, sizeof *moments);
    return NEXT(utime)(path, moments);
}

/* The present, or the moment that is there, needs no seconds. */
static void check_moments(struct site site, const struct timespec *moments) {
    for (int i = 0; moments && i < 2; i++) {
        check_range(site, &moments[i], sizeof *moments, 0, moments);
        if (!VALUES_ON || !access_clean((uintptr_t)&moments[i], sizeof *moments)) return;
        check_used_bytes(site, &moments[i].tv_nsec, sizeof moments->tv_nsec);
        if (moments[i].tv_nsec != UTIME_NOW && moments[i].tv_nsec != UTIME_OMIT)
            check_used_bytes(site, &moments[i].tv_sec, sizeof moments->tv_sec);
    }
}

#define MOMENTS(name, key_type, check, moment, looked, after)                                      \
    WRAP(int, name, (key_type key, const struct moment moments[2])) {                              \
        check;                                                                                     \
        looked;                                                                                    \
        int result = NEXT(name)(key, moments);                                                     \
        after;                                                                                     \
        return result;                                                                             \
    }

#define BOTH_USED USE_IF(moments, 2 * sizeof *moments)

MOMENTS(utimes, const char *, READ_PATH(key), timeval, BOTH_USED, (void)0)
MOMENTS(lutimes, const char *, READ_PATH(key), timeval, BOTH_USED, (void)0)
MOMENTS(futimes, int, (void)0, timeval, BOTH_USED, USED(key, result))
MOMENTS(futimens, int, (void)0, timespec, check_moments(SITE, moments), USED(key, result))

/* Without a name, the directory is meant. */
WRAP(int, futimesat, (int directory, const char *path, const struct timeval moments[2])) {
    READ_PATH_IF(path);
    BOTH_USED;
    return USED_AT(directory, path, NEXT(futimesat)(directory, path, moments));
}

WRAP(int, utimensat,
     (int directory, const char *path, const struct timespec moments[2], int flags)) {
    READ_PATH_IF(path);
    check_moments(SITE, moments);
    return USED_AT(directory, path, NEXT(utimensat)(directory, path, moments, flags));
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
        return OPENED(NEXT(name)(path, flags, mode));                                              \
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
        return OPENED(USED_AT(directory, path, NEXT(name)(directory, path, flags, mode)));         \
    }

OPEN_AT(openat)
OPEN_AT(openat64)

/* As fortified programs call them. */
#define OPEN_CHECKED(open, open_at)                                                                \
    int open(const char *, int);                                                                   \
    int open_at(int, const char *, int);                                                           \
    PATH_AND_OPEN(open, int)                                                                       \
    AT(int, open_at, (int directory, const char *path, int flags),                                 \
       OPENED(NEXT(open_at)(directory, path, flags)))

OPEN_CHECKED(__open_2, __openat_2)
OPEN_CHECKED(__open64_2, __openat64_2)
