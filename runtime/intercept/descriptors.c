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
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <termios.h>
#include <unistd.h>

/* ---- closing ---- */

WRAP(int, close, (int file)) {
    announce_departs(NAME);
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

/* ---- use; isatty and its like are not here, because they ask what is open ---- */

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
WRAP(int, shutdown, (int file, int how)) {
    announce_departs(NAME);
    return (int)USED(file, shutdown(file, how));
}
USES(int, sockatmark, (int file), (file))
USES(int, fallocate, (int file, int mode, off_t at, off_t size), (file, mode, at, size))
USES(int, fallocate64, (int file, int mode, off64_t at, off64_t size), (file, mode, at, size))
USES(ssize_t, readahead, (int file, off64_t at, size_t size), (file, at, size))
USES(int, sync_file_range, (int file, off64_t at, off64_t size, unsigned flags),
     (file, at, size, flags))
USES(int, inotify_rm_watch, (int file, int watch), (file, watch))
WRAP(int, eventfd_write, (int file, eventfd_t value)) {
    announce_departs(NAME);
    return (int)USED(file, eventfd_write(file, value));
}
USES(int, tcsetpgrp, (int file, pid_t group), (file, group))
USES(int, tcflush, (int file, int queue), (file, queue))
USES(int, tcdrain, (int file), (file))
USES(int, tcsendbreak, (int file, int duration), (file, duration))
USES(int, tcflow, (int file, int action), (file, action))

WRAP(ssize_t, tee, (int from, int to, size_t size, unsigned flags)) {
    return USED(from, USED(to, tee(from, to, size, flags)));
}

#define ANSWERS(name, parameters, arguments)                                                       \
    WRAP(int, name, parameters) { return ANSWERED(file, name arguments); }

ANSWERS(posix_fadvise, (int file, off_t at, off_t size, int advice), (file, at, size, advice))
ANSWERS(posix_fadvise64, (int file, off64_t at, off64_t size, int advice), (file, at, size, advice))
ANSWERS(posix_fallocate, (int file, off_t at, off_t size), (file, at, size))
ANSWERS(posix_fallocate64, (int file, off64_t at, off64_t size), (file, at, size))

#define MAPS(name, offset)                                                                         \
    WRAP(void *, name,                                                                             \
         (void *at, size_t size, int protection, int flags, int file, offset from)) {              \
        void *result = name(at, size, protection, flags, file, from);                              \
        USED(file, result == MAP_FAILED ? -1 : 0);                                                 \
        if (result != MAP_FAILED && !(flags & MAP_ANONYMOUS))                                      \
            CAME_AS_MAPPING(file, from, result, size);                                             \
        return result;                                                                             \
    }

MAPS(mmap, off_t)
MAPS(mmap64, off64_t)
