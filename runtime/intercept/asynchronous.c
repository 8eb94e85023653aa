/* aio.h: input and output that go on beside the program. */
#include <stdarg.h>
#include "check.h"

#include <aio.h>

/* What a request to write passes on. What one to read stores is known when it has ended. */
static void check_request(struct site site, const struct aiocb *request, int operation) {
    check_range(site, request, sizeof *request, 1, request);
    if (operation != LIO_WRITE) return;
    const void *from = (const void *)request->aio_buf;
    check_range(site, from, request->aio_nbytes, 0, from);
    check_used(site, from, request->aio_nbytes);
}

/* The result of a request that has ended: `count` bytes have been stored, if it was one to read. */
static void request_ended(struct site site, const struct aiocb *request, ssize_t count) {
    if (count <= 0 || request->aio_lio_opcode != LIO_READ) return;
    void *to = (void *)request->aio_buf;
    check_range(site, to, (size_t)count, 1, to);
    FILLS(to, (size_t)count);
}

#define BEGIN(name, type, operation)                                                               \
    WRAP(int, name, (type * request)) {                                                            \
        check_request(SITE, (const struct aiocb *)request, operation);                             \
        return (int)USED(request->aio_fildes, name(request));                                      \
    }

BEGIN(aio_read, struct aiocb, LIO_READ)
BEGIN(aio_read64, struct aiocb64, LIO_READ)
BEGIN(aio_write, struct aiocb, LIO_WRITE)
BEGIN(aio_write64, struct aiocb64, LIO_WRITE)

#define END(name, type)                                                                            \
    WRAP(ssize_t, name, (type * request)) {                                                        \
        READ(request, sizeof *request);                                                            \
        ssize_t count = name(request);                                                             \
        request_ended(SITE, (const struct aiocb *)request, count);                                 \
        return count;                                                                              \
    }

END(aio_return, struct aiocb)
END(aio_return64, struct aiocb64)

#define ASK(name, type)                                                                            \
    WRAP(int, name, (const type *request)) {                                                       \
        READ(request, sizeof *request);                                                            \
        return ANSWERED(request->aio_fildes, name(request));                                       \
    }

ASK(aio_error, struct aiocb)
ASK(aio_error64, struct aiocb64)

#define SYNCHRONISE(name, type)                                                                    \
    WRAP(int, name, (int operation, type *request)) {                                              \
        WRITE(request, sizeof *request);                                                           \
        return (int)USED(request->aio_fildes, name(operation, request));                           \
    }

SYNCHRONISE(aio_fsync, struct aiocb)
SYNCHRONISE(aio_fsync64, struct aiocb64)

#define CANCEL(name, type)                                                                         \
    WRAP(int, name, (int file, type *request)) {                                                   \
        READ_IF(request, sizeof *request);                                                         \
        return (int)USED(file, name(file, request));                                               \
    }

CANCEL(aio_cancel, struct aiocb)
CANCEL(aio_cancel64, struct aiocb64)

#define WAIT(name, type)                                                                           \
    WRAP(int, name, (const type *const requests[], int count, const struct timespec *timeout)) {   \
        READ(requests, bytes_of((size_t)(count < 0 ? 0 : count), sizeof *requests));               \
        READ_IF(timeout, sizeof *timeout);                                                         \
        return name(requests, count, timeout);                                                     \
    }

WAIT(aio_suspend, struct aiocb)
WAIT(aio_suspend64, struct aiocb64)

#define BEGIN_ALL(name, type)                                                                      \
    WRAP(int, name, (int mode, type *const requests[], int count, struct sigevent *event)) {       \
        READ(requests, bytes_of((size_t)(count < 0 ? 0 : count), sizeof *requests));               \
        for (int i = 0; i < count; i++) {                                                          \
            const struct aiocb *request = (const struct aiocb *)requests[i];                       \
            if (request) check_request(SITE, request, request->aio_lio_opcode);                    \
        }                                                                                          \
        return name(mode, requests, count, event);                                                 \
    }

BEGIN_ALL(lio_listio, struct aiocb)
BEGIN_ALL(lio_listio64, struct aiocb64)
