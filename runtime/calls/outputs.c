/* What system calls put into memory. */
#include "calls.h"
#include "../os/os.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <signal.h>
#include <fcntl.h>
#include <termios.h>

#define CALL_FACCESSAT2 439
#define CALL_STATX 332
#define CALL_OPENAT2 437
#define CALL_EPOLL_PWAIT2 441
#define STATX_BYTES 256u
#define ADDRESS_MOST 128u
#define KERNEL_TERMIOS 36u

enum how {
    NOTHING,
    RESULT,  /* as many bytes as the result says */
    FIXED,   /* `size` bytes, unless it is NULL */
    EACH,    /* as many of `size` bytes as the result says */
    COUNTED, /* as many of `size` bytes as the next argument says */
    SIZED,   /* as many bytes as the next argument points to, and that word */
    VECTOR,  /* an array of struct iovec, filled with as many bytes as the result says */
    MESSAGE, /* a struct msghdr, likewise */
    SET,     /* of descriptors: as many bits as the first argument says */
    REQUEST, /* what the second argument, a request of ioctl or fcntl, says */
};

struct row {
    uint16_t number;
    struct {
        uint8_t argument, how;
        uint16_t size;
    } outputs[3];
};

#define PLAIN(name)                                                                                \
    {                                                                                              \
        SYS_##name, {{0, NOTHING, 0}}                                                              \
    }
#define OUT1(name, argument, how, size)                                                            \
    {                                                                                              \
        SYS_##name, {                                                                              \
            {                                                                                      \
                argument, how, size                                                                \
            }                                                                                      \
        }                                                                                          \
    }

static const struct row rows[] = {
    OUT1(read, 1, RESULT, 0),
    OUT1(pread64, 1, RESULT, 0),
    OUT1(readv, 1, VECTOR, 0),
    OUT1(preadv, 1, VECTOR, 0),
    {SYS_recvfrom, {{1, RESULT, 0}, {4, SIZED, 0}}},
    OUT1(recvmsg, 1, MESSAGE, 0),
    OUT1(readlink, 1, RESULT, 0),
    OUT1(readlinkat, 2, RESULT, 0),
    OUT1(getcwd, 0, RESULT, 0),
    OUT1(getdents64, 1, RESULT, 0),
    OUT1(getxattr, 2, RESULT, 0),
    OUT1(lgetxattr, 2, RESULT, 0),
    OUT1(fgetxattr, 2, RESULT, 0),
    OUT1(stat, 1, FIXED, sizeof(struct stat)),
    OUT1(fstat, 1, FIXED, sizeof(struct stat)),
    OUT1(lstat, 1, FIXED, sizeof(struct stat)),
    OUT1(newfstatat, 2, FIXED, sizeof(struct stat)),
    {CALL_STATX, {{4, FIXED, STATX_BYTES}}},
    OUT1(statfs, 1, FIXED, sizeof(struct statfs)),
    OUT1(fstatfs, 1, FIXED, sizeof(struct statfs)),
    OUT1(sysinfo, 0, FIXED, sizeof(struct sysinfo)),
    OUT1(getrusage, 1, FIXED, sizeof(struct rusage)),
    OUT1(times, 0, FIXED, 4 * sizeof(long)),
    {SYS_wait4, {{1, FIXED, sizeof(int)}, {3, FIXED, sizeof(struct rusage)}}},
    {SYS_waitid, {{2, FIXED, sizeof(siginfo_t)}, {4, FIXED, sizeof(struct rusage)}}},
    OUT1(poll, 0, COUNTED, sizeof(struct pollfd)),
    OUT1(ppoll, 0, COUNTED, sizeof(struct pollfd)),
    {SYS_select, {{1, SET, 0}, {2, SET, 0}, {3, SET, 0}}},
    {SYS_pselect6, {{1, SET, 0}, {2, SET, 0}, {3, SET, 0}}},
    OUT1(epoll_wait, 1, EACH, sizeof(struct epoll_event)),
    OUT1(epoll_pwait, 1, EACH, sizeof(struct epoll_event)),
    {CALL_EPOLL_PWAIT2, {{1, EACH, sizeof(struct epoll_event)}}},
    OUT1(accept, 1, SIZED, 0),
    OUT1(accept4, 1, SIZED, 0),
    OUT1(getsockname, 1, SIZED, 0),
    OUT1(getpeername, 1, SIZED, 0),
    OUT1(getsockopt, 3, SIZED, 0),
    OUT1(ioctl, 2, REQUEST, 0),
    OUT1(fcntl, 2, REQUEST, 0),
    {CALL_OPENAT2, {{0, NOTHING, 0}}},
    {CALL_FACCESSAT2, {{0, NOTHING, 0}}},
    PLAIN(open),
    PLAIN(openat),
    PLAIN(creat),
    PLAIN(access),
    PLAIN(faccessat),
    PLAIN(lseek),
    PLAIN(write),
    PLAIN(pwrite64),
    PLAIN(writev),
    PLAIN(pwritev),
    PLAIN(sendto),
    PLAIN(sendmsg),
    PLAIN(sendfile),
    PLAIN(splice),
    PLAIN(copy_file_range),
    PLAIN(fsync),
    PLAIN(fdatasync),
    PLAIN(ftruncate),
    PLAIN(truncate),
    PLAIN(fallocate),
    PLAIN(flock),
    PLAIN(connect),
    PLAIN(bind),
    PLAIN(listen),
    PLAIN(shutdown),
    PLAIN(setsockopt),
    PLAIN(epoll_ctl),
    PLAIN(inotify_add_watch),
    PLAIN(inotify_rm_watch),
    PLAIN(unlink),
    PLAIN(unlinkat),
    PLAIN(rmdir),
    PLAIN(rename),
    PLAIN(renameat),
    PLAIN(renameat2),
    PLAIN(mkdir),
    PLAIN(mkdirat),
    PLAIN(link),
    PLAIN(linkat),
    PLAIN(symlink),
    PLAIN(symlinkat),
    PLAIN(mknod),
    PLAIN(mknodat),
    PLAIN(chmod),
    PLAIN(fchmod),
    PLAIN(fchmodat),
    PLAIN(chown),
    PLAIN(lchown),
    PLAIN(fchown),
    PLAIN(fchownat),
    PLAIN(utime),
    PLAIN(utimes),
    PLAIN(futimesat),
    PLAIN(utimensat),
    PLAIN(setxattr),
    PLAIN(lsetxattr),
    PLAIN(fsetxattr),
    PLAIN(removexattr),
    PLAIN(lremovexattr),
    PLAIN(fremovexattr),
    PLAIN(kill),
    PLAIN(setpriority),
    PLAIN(getpriority),
    PLAIN(sethostname),
    PLAIN(mq_unlink),
    PLAIN(shmctl),
    PLAIN(shmget),
    PLAIN(semget),
    PLAIN(semop),
    PLAIN(msgget),
    PLAIN(msgsnd),
};

#define ROWS (sizeof rows / sizeof *rows)

static const struct row *row_of(unsigned number) {
    static uint8_t places[CALLS_MOST]; /* plus one */
    if (!places[rows[0].number])
        for (unsigned i = 0; i < ROWS; i++) places[rows[i].number] = (uint8_t)(i + 1);
    unsigned place = number < CALLS_MOST ? places[number] : 0;
    return place ? &rows[place - 1] : NULL;
}

int calls_are_kept(unsigned number) { return row_of(number) != NULL; }

int calls_opens(unsigned number) {
    return number == SYS_open || number == SYS_openat || number == SYS_creat ||
           number == CALL_OPENAT2 || number == SYS_accept || number == SYS_accept4;
}

int calls_does_all(unsigned number) {
    return number == SYS_write || number == SYS_pwrite64 || number == SYS_sendto;
}

int calls_identify(int descriptor, struct calls_identity *identity) {
    struct stat status;
    if (os_call(SYS_fstat, descriptor, (long)&status, 0, 0, 0, 0)) return 0;
    *identity = (struct calls_identity){status.st_dev, status.st_ino, (uint64_t)status.st_size,
                                        (uint64_t)status.st_mtim.tv_sec * 1000000000u +
                                            (uint64_t)status.st_mtim.tv_nsec,
                                        status.st_mode};
    return 1;
}

static size_t size_of_request(unsigned number, uint64_t request) {
    if (number == SYS_fcntl) {
        int locks = request == F_GETLK || request == F_OFD_GETLK;
        return locks ? sizeof(struct flock) : 0;
    }
    switch (request) {
    case TCGETS: return KERNEL_TERMIOS;
    case TIOCGWINSZ: return sizeof(struct winsize);
    case FIONREAD:
    case TIOCOUTQ:
    case TIOCGPGRP:
    case TIOCGSID: return sizeof(int);
    default: return _IOC_DIR(request) & _IOC_READ ? _IOC_SIZE(request) : 0;
    }
}

static void put_vector(const struct iovec *parts, size_t count, size_t left, calls_output *output,
                       void *argument) {
    for (size_t i = 0; i < count && left; i++) {
        size_t size = parts[i].iov_len < left ? parts[i].iov_len : left;
        output((uintptr_t)parts[i].iov_base, size, argument);
        left -= size;
    }
}

static void put_message(struct msghdr *message, size_t left, calls_output *output, void *argument) {
    size_t address = message->msg_namelen < ADDRESS_MOST ? message->msg_namelen : ADDRESS_MOST;
    put_vector(message->msg_iov, message->msg_iovlen, left, output, argument);
    if (message->msg_name) output((uintptr_t)message->msg_name, address, argument);
    if (message->msg_control)
        output((uintptr_t)message->msg_control, message->msg_controllen, argument);
    output((uintptr_t)&message->msg_namelen, sizeof message->msg_namelen, argument);
    output((uintptr_t)&message->msg_controllen, sizeof message->msg_controllen, argument);
    output((uintptr_t)&message->msg_flags, sizeof message->msg_flags, argument);
}

/* The kernel does not tell how much of an address was too much for its room: no more is read than
 * any address has. */
static void put_sized(uintptr_t at, uint32_t *size, calls_output *output, void *argument) {
    if (!at || !size) return;
    size_t count = *size < ADDRESS_MOST ? *size : ADDRESS_MOST;
    output(at, count, argument);
    output((uintptr_t)size, sizeof *size, argument);
}

static void put_output(const struct row *row, unsigned i, const uint64_t *words, int64_t result,
                       calls_output *output, void *argument) {
    unsigned place = row->outputs[i].argument;
    uintptr_t at = words[place];
    size_t size = row->outputs[i].size, count = (size_t)result;
    switch ((enum how)row->outputs[i].how) {
    case NOTHING: return;
    case RESULT: size = count; break;
    case FIXED: break;
    case EACH: size *= count; break;
    case COUNTED: size *= (size_t)words[place + 1]; break;
    case SIZED: put_sized(at, (uint32_t *)words[place + 1], output, argument); return;
    case VECTOR:
        put_vector((const struct iovec *)at, (size_t)words[place + 1], count, output, argument);
        return;
    case MESSAGE: put_message((struct msghdr *)at, count, output, argument); return;
    case SET: size = (((size_t)(int)words[0] + 63) / 64) * sizeof(uint64_t); break;
    case REQUEST: size = size_of_request(row->number, words[1]);
    }
    if (at && size) output(at, size, argument);
}

void calls_outputs(unsigned number, const uint64_t *words, int64_t result, calls_output *output,
                   void *argument) {
    const struct row *row = row_of(number);
    for (unsigned i = 0; row && i < 3; i++) put_output(row, i, words, result, output, argument);
}
