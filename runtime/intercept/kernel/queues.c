/* mqueue.h, sys/msg.h and sys/sem.h: queues of messages, semaphores. */
#include <stdarg.h>
#include "../check.h"

#include <mqueue.h>
#include <sys/msg.h>
#include <sys/sem.h>

/* In a library of their own before 2.34. */
#pragma weak mq_getattr
#pragma weak mq_setattr
#pragma weak mq_send
#pragma weak mq_timedsend
#pragma weak mq_receive
#pragma weak mq_timedreceive
#pragma weak mq_unlink
#pragma weak mq_open

/* The first slash is the library's, the rest the kernel's. */
WRAP(mqd_t, mq_open, (const char *name, int flags, ...)) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = va_arg(arguments, mode_t);
    struct mq_attr *attributes = va_arg(arguments, struct mq_attr *);
    va_end(arguments);
    READ_PATH(name);
    if (flags & O_CREAT) READ_IF(attributes, sizeof *attributes);
    return NEXT(mq_open)(name, flags, mode, attributes);
}

WRAP(int, mq_unlink, (const char *name)) {
    READ_PATH(name);
    return NEXT(mq_unlink)(name);
}

WRAP(int, mq_getattr, (mqd_t queue, struct mq_attr *now)) {
    WRITE(now, sizeof *now);
    return NEXT(mq_getattr)(queue, now);
}

WRAP(int, mq_setattr, (mqd_t queue, const struct mq_attr *next, struct mq_attr *old)) {
    READ(next, sizeof *next);
    WRITE_IF(old, sizeof *old);
    return NEXT(mq_setattr)(queue, next, old);
}

#define SEND(name, parameters, arguments)                                                          \
    WRAP(int, name, parameters) {                                                                  \
        READ(from, size);                                                                          \
        return NEXT(name) arguments;                                                               \
    }

#define RECEIVE(name, parameters, arguments)                                                       \
    WRAP(ssize_t, name, parameters) {                                                              \
        WRITE_IF(priority, sizeof *priority);                                                      \
        struct bounce bounce = bounce_begin(SITE, to, size);                                       \
        ssize_t count = NEXT(name) arguments;                                                      \
        bounce_end(SITE, &bounce, arrived(count));                                                 \
        return count;                                                                              \
    }

SEND(mq_send, (mqd_t queue, const char *from, size_t size, unsigned priority),
     (queue, from, size, priority))
SEND(mq_timedsend,
     (mqd_t queue, const char *from, size_t size, unsigned priority, const struct timespec *wait),
     (queue, from, size, priority, wait))
RECEIVE(mq_receive, (mqd_t queue, char *to, size_t size, unsigned *priority),
        (queue, bounce.buffer, size, priority))
RECEIVE(mq_timedreceive,
        (mqd_t queue, char *to, size_t size, unsigned *priority, const struct timespec *wait),
        (queue, bounce.buffer, size, priority, wait))

/* ---- System V: a message begins with its type, which its size does not count ---- */

WRAP(int, msgsnd, (int queue, const void *from, size_t size, int flags)) {
    READ(from, sizeof(long) + size);
    return NEXT(msgsnd)(queue, from, size, flags);
}

WRAP(ssize_t, msgrcv, (int queue, void *to, size_t size, long type, int flags)) {
    struct bounce bounce = bounce_begin(SITE, to, sizeof(long) + size);
    ssize_t count = NEXT(msgrcv)(queue, bounce.buffer, size, type, flags);
    bounce_end(SITE, &bounce, count >= 0 ? sizeof(long) + (size_t)count : 0);
    return count;
}

WRAP(int, semop, (int set, struct sembuf *operations, size_t count)) {
    READ(operations, bytes_of(count, sizeof *operations));
    return NEXT(semop)(set, operations, count);
}

WRAP(int, semtimedop,
     (int set, struct sembuf *operations, size_t count, const struct timespec *most)) {
    READ(operations, bytes_of(count, sizeof *operations));
    READ_IF(most, sizeof *most);
    return NEXT(semtimedop)(set, operations, count, most);
}
