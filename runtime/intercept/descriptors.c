/* unistd.h and its like: functions that have a descriptor and no memory. */
#include <stdarg.h>
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* ---- closing ---- */

WRAP(int, close, (int file)) {
    file_closing(SITE, file);
    return close(file);
}

WH_EXPORT int __whence_close_each(int file) {
    if (descriptors_watched()) descriptor_swept(file, FRAME_HERE);
    return close(file);
}

/* From 2.34 on. */
int close_range(unsigned, unsigned, int) __attribute__((weak));
void closefrom(int) __attribute__((weak));

#define CLOSES_LATER 4 /* CLOSE_RANGE_CLOEXEC */
#define PARTS 2        /* CLOSE_RANGE_UNSHARE */

WRAP(int, close_range, (unsigned first, unsigned last, int flags)) {
    if (descriptors_watched() && flags & PARTS) descriptors_part();
    if (descriptors_watched() && !(flags & CLOSES_LATER))
        descriptors_closing(first, last, FRAME_HERE);
    return close_range(first, last, flags);
}

WRAP(void, closefrom, (int first)) {
    unsigned from = first > 0 ? (unsigned)first : 0;
    if (descriptors_watched()) descriptors_closing(from, ~0u, FRAME_HERE);
    closefrom(first);
}

WRAP(int, unshare, (int parts)) {
    if (parts & CLONE_FILES) descriptors_part();
    return unshare(parts);
}

/* ---- opening ---- */

#define OPENS(name, parameters, arguments)                                                         \
    WRAP(int, name, parameters) { return OPENED(name arguments); }

OPENS(socket, (int domain, int type, int protocol), (domain, type, protocol))
OPENS(eventfd, (unsigned count, int flags), (count, flags))
OPENS(epoll_create, (int size), (size))
OPENS(epoll_create1, (int flags), (flags))
OPENS(timerfd_create, (clockid_t clock, int flags), (clock, flags))
OPENS(inotify_init, (void), ())
OPENS(inotify_init1, (int flags), (flags))

#define COPIES_FILE(name, parameters, arguments)                                                   \
    WRAP(int, name, parameters) { return OPENED((int)USED(file, name arguments)); }

COPIES_FILE(dup, (int file), (file))
COPIES_FILE(dup2, (int file, int copy), (file, copy))
COPIES_FILE(dup3, (int file, int copy, int flags), (file, copy, flags))

WRAP(DIR *, fdopendir, (int file)) {
    DIR *directory = fdopendir(file);
    if (!directory) USED(file, -1);
    return directory;
}

/* ---- use; fstat and isatty are not here, because they ask whether a descriptor is open ---- */

#define USES(type, name, parameters, arguments)                                                    \
    WRAP(type, name, parameters) { return (type)USED(file, name arguments); }

USES(off_t, lseek, (int file, off_t place, int whence), (file, place, whence))
USES(off64_t, lseek64, (int file, off64_t place, int whence), (file, place, whence))
USES(int, ftruncate, (int file, off_t size), (file, size))
USES(int, ftruncate64, (int file, off64_t size), (file, size))
USES(int, fsync, (int file), (file))
USES(int, fdatasync, (int file), (file))
USES(int, syncfs, (int file), (file))
USES(int, fchdir, (int file), (file))
USES(int, fchmod, (int file, mode_t mode), (file, mode))
USES(int, fchown, (int file, uid_t user, gid_t group), (file, user, group))
USES(int, flock, (int file, int operation), (file, operation))
USES(int, lockf, (int file, int command, off_t size), (file, command, size))
USES(int, listen, (int file, int most), (file, most))
USES(int, shutdown, (int file, int how), (file, how))
