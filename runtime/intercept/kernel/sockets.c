/* sys/socket.h. */
#include <stdarg.h>
#include "kernel.h"
#include "../../os/mem.h"

#include <sys/socket.h>

/* ---- answers of at most *length bytes ---- */

struct answer answer_begin(struct site site, void *to, socklen_t *length) {
    struct answer answer = {.length = length};
    if (length) check_range(site, length, sizeof *length, 1, length);
    if (to && is_judged(to) && is_there(length, sizeof *length)) answer.room = *length;
    answer.bounce = bounce_block(site, to, answer.room);
    return answer;
}

void answer_end(struct site site, struct answer *answer, int is_given) {
    size_t stored = is_given && answer->room ? *answer->length : 0;
    bounce_end(site, &answer->bounce, stored);
}

/* ---- bytes ---- */

/* A look at what comes next takes nothing. */
#define TAKEN_FROM(file) (flags & MSG_PEEK ? -1 : (file))

WRAP_FILLING_FROM(recv, (int file, void *to, size_t size, int flags), TAKEN_FROM(file), HERE,
                  (file, bounce.buffer, size, flags))

ssize_t __recv_chk(int, void *, size_t, size_t, int);
WRAP_FILLING_FROM(__recv_chk, (int file, void *to, size_t size, size_t room, int flags),
                  TAKEN_FROM(file), HERE, (file, bounce.buffer, size, room, flags))

/* The same with the sender's address. */
#define RECEIVE_FROM(name, parameters, more)                                                       \
    WRAP(ssize_t, name, parameters) {                                                              \
        struct answer answer = answer_begin(SITE, address, length);                                \
        struct bounce bounce = bounce_begin(SITE, to, size);                                       \
        ssize_t count = USED(socket, NEXT(name) more);                                             \
        answer_end(SITE, &answer, count >= 0);                                                     \
        bounce_end(SITE, &bounce, arrived(count));                                                 \
        CAME_FROM(TAKEN_FROM(socket), HERE, to, arrived(count));                                   \
        return count;                                                                              \
    }

RECEIVE_FROM(recvfrom,
             (int socket, void *to, size_t size, int flags, struct sockaddr *address,
              socklen_t *length),
             (socket, bounce.buffer, size, flags, answer.bounce.buffer, length))
ssize_t __recvfrom_chk(int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *);
RECEIVE_FROM(__recvfrom_chk,
             (int socket, void *to, size_t size, size_t room, int flags, struct sockaddr *address,
              socklen_t *length),
             (socket, bounce.buffer, size, room, flags, answer.bounce.buffer, length))

WRAP(ssize_t, send, (int socket, const void *from, size_t size, int flags)) {
    USE(from, size);
    ssize_t count = USED(socket, NEXT(send)(socket, from, size, flags));
    LEFT_TO(socket, HERE, from, count);
    return count;
}

WRAP(ssize_t, sendto,
     (int socket, const void *from, size_t size, int flags, const struct sockaddr *address,
      socklen_t length)) {
    USE(from, size);
    READ_IF(address, length);
    ssize_t count = USED(socket, NEXT(sendto)(socket, from, size, flags, address, length));
    LEFT_TO(socket, HERE, from, count);
    return count;
}

/* ---- addresses ---- */

#define ADDRESS_IN(name)                                                                           \
    WRAP(int, name, (int socket, const struct sockaddr *address, socklen_t length)) {              \
        READ(address, length);                                                                     \
        return USED(socket, NEXT(name)(socket, address, length));                                  \
    }

#define ADDRESS_OUT(name, made)                                                                    \
    WRAP(int, name, (int socket, struct sockaddr *restrict address, socklen_t *restrict length)) { \
        struct answer answer = answer_begin(SITE, address, length);                                \
        int result = USED(socket, NEXT(name)(socket, answer.bounce.buffer, length));               \
        answer_end(SITE, &answer, result >= 0);                                                    \
        return made(result);                                                                       \
    }

ADDRESS_IN(bind)
ADDRESS_IN(connect)
#define NO_FILE(result) (result)

ADDRESS_OUT(accept, OPENED)
ADDRESS_OUT(getsockname, NO_FILE)
ADDRESS_OUT(getpeername, NO_FILE)

WRAP(int, accept4, (int socket, struct sockaddr *address, socklen_t *length, int flags)) {
    struct answer answer = answer_begin(SITE, address, length);
    int result = OPENED(USED(socket, NEXT(accept4)(socket, answer.bounce.buffer, length, flags)));
    answer_end(SITE, &answer, result >= 0);
    return result;
}

WRAP(int, socketpair, (int domain, int type, int protocol, int *ends)) {
    WRITE(ends, 2 * sizeof *ends);
    return ends_opened(SITE, NEXT(socketpair)(domain, type, protocol, ends), ends);
}

WRAP(int, setsockopt, (int socket, int level, int name, const void *value, socklen_t length)) {
    READ_IF(value, length);
    return USED(socket, NEXT(setsockopt)(socket, level, name, value, length));
}

/* Some options read what is there before they answer. */
WRAP(int, getsockopt, (int socket, int level, int name, void *value, socklen_t *length)) {
    struct answer answer = answer_begin(SITE, value, length);
    bounce_fill(&answer.bounce);
    int result = USED(socket, NEXT(getsockopt)(socket, level, name, answer.bounce.buffer, length));
    answer_end(SITE, &answer, result == 0);
    return result;
}
