/* sys/select.h, poll.h, sys/epoll.h: waiting for files. */
#include <stdarg.h>
#include "kernel.h"
#include "../../leak/kernel.h"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <unistd.h>

/* ---- waiting ---- */

/* The kernel reads and writes whole words of a set. It stops at the largest open file, so a program
 * may say that there are more files than an fd_set holds. */
size_t files_size(int count) {
    if (count > FD_SETSIZE) count = FD_SETSIZE;
    return count > 0 ? ((size_t)count + NFDBITS - 1) / NFDBITS * sizeof(fd_mask) : 0;
}

#define CHECK_SETS(count, reading, writing, other)                                                 \
    WRITE_IF(reading, files_size(count));                                                          \
    WRITE_IF(writing, files_size(count));                                                          \
    WRITE_IF(other, files_size(count))

WRAP(int, select,
     (int count, fd_set *reading, fd_set *writing, fd_set *other, struct timeval *wait)) {
    CHECK_SETS(count, reading, writing, other);
    WRITE_IF(wait, sizeof *wait);
    if (wait) check_used(SITE, wait, sizeof *wait);
    return NEXT(select)(count, reading, writing, other, wait);
}

WRAP(int, pselect,
     (int count, fd_set *reading, fd_set *writing, fd_set *other, const struct timespec *wait,
      const sigset_t *set)) {
    CHECK_SETS(count, reading, writing, other);
    USE_IF(wait, sizeof *wait);
    USE_IF(set, SET_SIZE);
    return NEXT(pselect)(count, reading, writing, other, wait, set);
}

static void check_polled(struct site site, struct pollfd *files, nfds_t count) {
    size_t size = bytes_of(count, sizeof *files);
    check_range(site, files, size, 1, files);
    if (!VALUES_ON || !access_clean((uintptr_t)files, size)) return;
    for (nfds_t i = 0; i < count; i++) {
        check_used_bytes(site, &files[i].fd, sizeof files->fd);
        if (files[i].fd >= 0) check_used_bytes(site, &files[i].events, sizeof files->events);
    }
}

WRAP(int, ppoll,
     (struct pollfd * files, nfds_t count, const struct timespec *wait, const sigset_t *set)) {
    check_polled(SITE, files, count);
    USE_IF(wait, sizeof *wait);
    USE_IF(set, SET_SIZE);
    return NEXT(ppoll)(files, count, wait, set);
}

WRAP(int, epoll_ctl, (int queue, int operation, int file, struct epoll_event *event)) {
    if (operation != EPOLL_CTL_DEL) READ_IF(event, sizeof *event);
    return (int)USED(queue, USED(file, kernel_epoll_ctl(queue, operation, file, event)));
}

static size_t events_size(int count) {
    return count > 0 ? bytes_of((size_t)count, sizeof(struct epoll_event)) : 0;
}

WRAP(int, epoll_wait, (int queue, struct epoll_event *events, int most, int wait)) {
    struct bounce bounce = bounce_begin(SITE, events, events_size(most));
    int count = (int)USED(queue, NEXT(epoll_wait)(queue, bounce.buffer, most, wait));
    bounce_end(SITE, &bounce, events_size(count));
    return count;
}

WRAP(int, epoll_pwait,
     (int queue, struct epoll_event *events, int most, int wait, const sigset_t *set)) {
    USE_IF(set, SET_SIZE);
    struct bounce bounce = bounce_begin(SITE, events, events_size(most));
    int count = (int)USED(queue, NEXT(epoll_pwait)(queue, bounce.buffer, most, wait, set));
    bounce_end(SITE, &bounce, events_size(count));
    return count;
}

WRAP(int, poll, (struct pollfd * files, nfds_t count, int timeout)) {
    check_polled(SITE, files, count);
    return NEXT(poll)(files, count, timeout);
}

int __poll_chk(struct pollfd *, nfds_t, int, size_t);
WRAP(int, __poll_chk, (struct pollfd * files, nfds_t count, int timeout, size_t room)) {
    check_polled(SITE, files, count);
    return NEXT(__poll_chk)(files, count, timeout, room);
}

int __ppoll_chk(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t);
WRAP(int, __ppoll_chk,
     (struct pollfd * files, nfds_t count, const struct timespec *wait, const sigset_t *set,
      size_t room)) {
    check_polled(SITE, files, count);
    USE_IF(wait, sizeof *wait);
    USE_IF(set, SET_SIZE);
    return NEXT(__ppoll_chk)(files, count, wait, set, room);
}

/* ---- what is waited for ---- */

WRAP(int, pipe, (int *ends)) {
    WRITE(ends, 2 * sizeof *ends);
    return ends_opened(SITE, NEXT(pipe)(ends), ends);
}

WRAP(int, pipe2, (int *ends, int flags)) {
    WRITE(ends, 2 * sizeof *ends);
    return ends_opened(SITE, NEXT(pipe2)(ends, flags), ends);
}

WRAP(int, eventfd_read, (int file, eventfd_t *value)) {
    WRITE(value, sizeof *value);
    return NEXT(eventfd_read)(file, value);
}
