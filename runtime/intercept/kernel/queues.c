/* mqueue.h, semaphore.h, sys/msg.h, sys/sem.h and sys/shm.h: queues of messages, semaphores, shared
 * memory. */
#include <stdarg.h>
#include "../check.h"

#include <mqueue.h>
#include <semaphore.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

/* In a library of their own before 2.34. */
#pragma weak mq_getattr
#pragma weak mq_setattr
#pragma weak mq_send
#pragma weak mq_timedsend
#pragma weak mq_receive
#pragma weak mq_timedreceive
#pragma weak mq_unlink
#pragma weak mq_open
#pragma weak mq_notify
#pragma weak sem_open

/* The first slash is the library's, the rest the kernel's. */
WRAP(mqd_t, mq_open, (const char *name, int flags, ...)) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = va_arg(arguments, mode_t);
    struct mq_attr *attributes = va_arg(arguments, struct mq_attr *);
    va_end(arguments);
    READ_PATH(name);
    if (flags & O_CREAT && attributes) {
        READ(attributes, sizeof *attributes);
        check_used(SITE, &attributes->mq_maxmsg, sizeof attributes->mq_maxmsg);
        check_used(SITE, &attributes->mq_msgsize, sizeof attributes->mq_msgsize);
    }
    return NEXT(mq_open)(name, flags, mode, attributes);
}

/* The mode and the value are there if one may be made; they are passed on as they come. */
WRAP(sem_t *, sem_open, (const char *name, int flags, ...)) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = va_arg(arguments, mode_t);
    unsigned value = va_arg(arguments, unsigned);
    va_end(arguments);
    READ_PATH(name);
    return NEXT(sem_open)(name, flags, mode, value);
}

/* Without an event, there is to be none. */
WRAP(int, mq_notify, (mqd_t queue, const struct sigevent *event)) {
    READ_IF(event, sizeof *event);
    if (event) check_used(SITE, &event->sigev_notify, sizeof event->sigev_notify);
    return NEXT(mq_notify)(queue, event);
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
    if (is_there(next, sizeof *next)) check_used(SITE, &next->mq_flags, sizeof next->mq_flags);
    WRITE_IF(old, sizeof *old);
    return NEXT(mq_setattr)(queue, next, old);
}

#define SEND(name, parameters, arguments)                                                          \
    WRAP(int, name, parameters) {                                                                  \
        USE(from, size);                                                                           \
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
    USE(from, sizeof(long) + size);
    return NEXT(msgsnd)(queue, from, size, flags);
}

WRAP(ssize_t, msgrcv, (int queue, void *to, size_t size, long type, int flags)) {
    struct bounce bounce = bounce_begin(SITE, to, sizeof(long) + size);
    ssize_t count = NEXT(msgrcv)(queue, bounce.buffer, size, type, flags);
    bounce_end(SITE, &bounce, count >= 0 ? sizeof(long) + (size_t)count : 0);
    return count;
}

WRAP(int, semop, (int set, struct sembuf *operations, size_t count)) {
    USE(operations, bytes_of(count, sizeof *operations));
    return NEXT(semop)(set, operations, count);
}

WRAP(int, semtimedop,
     (int set, struct sembuf *operations, size_t count, const struct timespec *most)) {
    USE(operations, bytes_of(count, sizeof *operations));
    USE_IF(most, sizeof *most);
    return NEXT(semtimedop)(set, operations, count, most);
}

/* ---- System V: what is known of them ---- */

/* A structure that a command reads or stores to. Of a set's values, the number is not known. */
struct known {
    int command;
    uint16_t size;
    uint8_t stores;
};

static const struct known of_queues[] = {
    {IPC_STAT, sizeof(struct msqid_ds), 1}, {MSG_STAT, sizeof(struct msqid_ds), 1},
    {IPC_SET, sizeof(struct msqid_ds), 0},  {IPC_INFO, sizeof(struct msginfo), 1},
    {MSG_INFO, sizeof(struct msginfo), 1},
};
static const struct known of_sets[] = {
    {IPC_STAT, sizeof(struct semid_ds), 1}, {SEM_STAT, sizeof(struct semid_ds), 1},
    {IPC_SET, sizeof(struct semid_ds), 0},  {IPC_INFO, sizeof(struct seminfo), 1},
    {SEM_INFO, sizeof(struct seminfo), 1},  {GETALL, sizeof(unsigned short), 1},
    {SETALL, sizeof(unsigned short), 0},
};
static const struct known of_memory[] = {
    {IPC_STAT, sizeof(struct shmid_ds), 1}, {SHM_STAT, sizeof(struct shmid_ds), 1},
    {IPC_SET, sizeof(struct shmid_ds), 0},  {IPC_INFO, sizeof(struct shminfo), 1},
    {SHM_INFO, sizeof(struct shm_info), 1},
};

static void check_known(struct site site, const struct known *of, size_t count, int command,
                        const void *argument) {
    for (size_t i = 0; i < count; i++)
        if (of[i].command == command) check_structure(site, argument, of[i].size, of[i].stores);
}

#define KNOWN(of, command, argument)                                                               \
    check_known(SITE, of, sizeof(of) / sizeof *(of), command, argument)

WRAP(int, msgctl, (int queue, int command, struct msqid_ds *argument)) {
    KNOWN(of_queues, command, argument);
    return NEXT(msgctl)(queue, command, argument);
}

WRAP(int, shmctl, (int memory, int command, struct shmid_ds *argument)) {
    KNOWN(of_memory, command, argument);
    return NEXT(shmctl)(memory, command, argument);
}

/* The argument is passed on as it comes, also where there is none. */
WRAP(int, semctl, (int set, int number, int command, ...)) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    KNOWN(of_sets, command, argument);
    return NEXT(semctl)(set, number, command, argument);
}
