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

/* The kernel leaves the sets as they are where it refuses a file in them. */
static int selected(struct site site, int result, int count, const fd_set *const sets[3]) {
    tell_arrived();
    if (WH_LIKELY(result >= 0) || !descriptors_watched() || errno != EBADF) return result;
    for (int file = 0; file < count && file < FD_SETSIZE; file++)
        for (int i = 0; i < 3; i++)
            if (sets[i] && FD_ISSET(file, sets[i])) {
                descriptor_refused(file, site.function, site.frame);
                break;
            }
    return result;
}

#define SELECTED(result) selected(SITE, result, count, (const fd_set *[]){reading, writing, other})

WRAP(int, select,
     (int count, fd_set *reading, fd_set *writing, fd_set *other, struct timeval *wait)) {
    CHECK_SETS(count, reading, writing, other);
    WRITE_IF(wait, sizeof *wait);
    if (wait) check_used(SITE, wait, sizeof *wait);
    return SELECTED(NEXT(select)(count, reading, writing, other, wait));
}

WRAP(int, pselect,
     (int count, fd_set *reading, fd_set *writing, fd_set *other, const struct timespec *wait,
      const sigset_t *set)) {
    CHECK_SETS(count, reading, writing, other);
    USE_IF(wait, sizeof *wait);
    USE_IF(set, SET_SIZE);
    return SELECTED(NEXT(pselect)(count, reading, writing, other, wait, set));
}

#define READ_OF_POLLED (offsetof(struct pollfd, events) + sizeof(short))

static void check_polled(struct site site, struct pollfd *files, nfds_t count) {
    check_range(site, files, bytes_of(count, sizeof *files), 1, files);
    /* Of a table that is too long for its block, what is in the block is read, too. */
    for (nfds_t i = 0; VALUES_ON && i < count && is_there(&files[i], READ_OF_POLLED); i++) {
        check_used_bytes(site, &files[i].fd, sizeof files->fd);
        if (files[i].fd >= 0) check_used_bytes(site, &files[i].events, sizeof files->events);
    }
}

/* Who waits for nothing but errors of a file asks whether it is open. */
static int polled(struct site site, int result, const struct pollfd *files, nfds_t count) {
    tell_arrived();
    if (result <= 0 || WH_LIKELY(!descriptors_watched())) return result;
    for (nfds_t i = 0; i < count; i++)
        if (files[i].revents & POLLNVAL && files[i].events)
            descriptor_missed(files[i].fd, site.function, site.frame);
    return result;
}

#define POLLED(result) polled(SITE, result, files, count)

WRAP(int, ppoll,
     (struct pollfd * files, nfds_t count, const struct timespec *wait, const sigset_t *set)) {
    check_polled(SITE, files, count);
    USE_IF(wait, sizeof *wait);
    USE_IF(set, SET_SIZE);
    return POLLED(NEXT(ppoll)(files, count, wait, set));
}

WRAP(int, epoll_ctl, (int queue, int operation, int file, struct epoll_event *event)) {
    if (operation != EPOLL_CTL_DEL) {
        check_structure(SITE, event, sizeof *event, 0);
        if (is_there(event, sizeof *event)) check_used(SITE, &event->events, sizeof event->events);
    }
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

/* From 2.35 on. */
int epoll_pwait2(int, struct epoll_event *, int, const struct timespec *, const sigset_t *)
    __attribute__((weak));
WRAP(int, epoll_pwait2,
     (int queue, struct epoll_event *events, int most, const struct timespec *wait,
      const sigset_t *set)) {
    USE_IF(wait, sizeof *wait);
    USE_IF(set, SET_SIZE);
    struct bounce bounce = bounce_begin(SITE, events, events_size(most));
    int count = (int)USED(queue, NEXT(epoll_pwait2)(queue, bounce.buffer, most, wait, set));
    bounce_end(SITE, &bounce, events_size(count));
    return count;
}

WRAP(int, poll, (struct pollfd * files, nfds_t count, int timeout)) {
    check_polled(SITE, files, count);
    return POLLED(NEXT(poll)(files, count, timeout));
}

int __poll_chk(struct pollfd *, nfds_t, int, size_t);
WRAP(int, __poll_chk, (struct pollfd * files, nfds_t count, int timeout, size_t room)) {
    check_polled(SITE, files, count);
    return POLLED(NEXT(__poll_chk)(files, count, timeout, room));
}

int __ppoll_chk(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t);
WRAP(int, __ppoll_chk,
     (struct pollfd * files, nfds_t count, const struct timespec *wait, const sigset_t *set,
      size_t room)) {
    check_polled(SITE, files, count);
    USE_IF(wait, sizeof *wait);
    USE_IF(set, SET_SIZE);
    return POLLED(NEXT(__ppoll_chk)(files, count, wait, set, room));
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
    return (int)USED(file, NEXT(eventfd_read)(file, value));
}
