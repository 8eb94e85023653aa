/* sys/socket.h. */
#include <stdarg.h>
#include "kernel.h"
#include "../../os/mem.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

/* ---- answers of at most *length bytes ---- */

/* The bytes that the program has room for; 0 where that is not known. */
static size_t answer_room(const socklen_t *length) {
    return is_there(length, sizeof *length) ? *length : 0;
}

struct answer answer_begin(struct site site, void *to, socklen_t *length) {
    struct answer answer = {.length = length};
    if (length) check_range(site, length, sizeof *length, 1, length);
    if (to && is_judged(to)) answer.room = (socklen_t)answer_room(length);
    answer.bounce = bounce_block(site, to, answer.room);
    return answer;
}

/* The same of a function that always stores. */
static struct answer answer_needed(struct site site, void *to, socklen_t *length) {
    if (!length) check_range(site, length, sizeof *length, 1, length);
    if (!to && is_judged(to)) check_range(site, to, answer_room(length), 1, to);
    return answer_begin(site, to, length);
}

void answer_end(struct site site, struct answer *answer, int is_given) {
    size_t stored = is_given && answer->room ? *answer->length : 0;
    bounce_end(site, &answer->bounce, stored);
}

/* ---- what is sent to, or taken as the socket's own ---- */

#define MEMBER(type, member) offsetof(struct type, member), sizeof(((struct type *)0)->member)

/* What each family means. Of the rest, as what only fills it up, nothing is known. */
static const struct member {
    sa_family_t family;
    uint16_t at, size;
} members[] = {
    {AF_INET, MEMBER(sockaddr_in, sin_port)},
    {AF_INET, MEMBER(sockaddr_in, sin_addr)},
    {AF_INET6, MEMBER(sockaddr_in6, sin6_port)},
    {AF_INET6, MEMBER(sockaddr_in6, sin6_addr)},
};

/* A name of the file system ends with a 0, others, which begin with one, at the length. */
static size_t name_size(const char *name, size_t room) {
    return *name ? strnlen(name, room) : room;
}

void check_address(struct site site, const void *address, size_t length) {
    const char *bytes = address;
    sa_family_t family;
    check_range(site, address, length, 0, address);
    if (!VALUES_ON || length < sizeof family || !access_clean((uintptr_t)address, length)) return;
    check_used_bytes(site, address, sizeof family);
    wh_copy(&family, address, sizeof family);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (members[i].family == family && members[i].at + members[i].size <= length)
            check_used_bytes(site, bytes + members[i].at, members[i].size);
    size_t before = offsetof(struct sockaddr_un, sun_path);
    if (family == AF_UNIX && length > before)
        check_used_bytes(site, bytes + before, name_size(bytes + before, length - before));
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
    announce_departs(NAME);
    ssize_t count = USED(socket, NEXT(send)(socket, from, size, flags));
    LEFT_TO(socket, HERE, from, count);
    return count;
}

WRAP(ssize_t, sendto,
     (int socket, const void *from, size_t size, int flags, const struct sockaddr *address,
      socklen_t length)) {
    USE(from, size);
    if (address) check_address(SITE, address, length);
    announce_departs(NAME);
    ssize_t count = USED(socket, NEXT(sendto)(socket, from, size, flags, address, length));
    LEFT_TO(socket, HERE, from, count);
    return count;
}

/* ---- addresses ---- */

#define ADDRESS_IN(name, before)                                                                   \
    WRAP(int, name, (int socket, const struct sockaddr *address, socklen_t length)) {              \
        check_address(SITE, address, length);                                                      \
        before;                                                                                    \
        return USED(socket, NEXT(name)(socket, address, length));                                  \
    }

#define ADDRESS_OUT(name, begin, made)                                                             \
    WRAP(int, name, (int socket, struct sockaddr *restrict address, socklen_t *restrict length)) { \
        struct answer answer = begin(SITE, address, length);                                       \
        int result = USED(socket, NEXT(name)(socket, answer.bounce.buffer, length));               \
        answer_end(SITE, &answer, result >= 0);                                                    \
        tell_arrived();                                                                            \
        return made(result);                                                                       \
    }

ADDRESS_IN(bind, (void)0)
ADDRESS_IN(connect, announce_departs(NAME))
#define NO_FILE(result) (result)

ADDRESS_OUT(accept, answer_begin, OPENED)
ADDRESS_OUT(getsockname, answer_needed, NO_FILE)
ADDRESS_OUT(getpeername, answer_needed, NO_FILE)

WRAP(int, accept4, (int socket, struct sockaddr *address, socklen_t *length, int flags)) {
    struct answer answer = answer_begin(SITE, address, length);
    int result = OPENED(USED(socket, NEXT(accept4)(socket, answer.bounce.buffer, length, flags)));
    answer_end(SITE, &answer, result >= 0);
    tell_arrived();
    return result;
}

WRAP(int, socketpair, (int domain, int type, int protocol, int *ends)) {
    WRITE(ends, 2 * sizeof *ends);
    return ends_opened(SITE, NEXT(socketpair)(domain, type, protocol, ends), ends);
}

WRAP(int, setsockopt, (int socket, int level, int name, const void *value, socklen_t length)) {
    READ_IF(value, length);
    if (value && length == sizeof(int)) check_used(SITE, value, length);
    return USED(socket, NEXT(setsockopt)(socket, level, name, value, length));
}

/* Some options read what is there before they answer. */
WRAP(int, getsockopt, (int socket, int level, int name, void *value, socklen_t *length)) {
    struct answer answer = answer_needed(SITE, value, length);
    bounce_fill(&answer.bounce);
    int result = USED(socket, NEXT(getsockopt)(socket, level, name, answer.bounce.buffer, length));
    answer_end(SITE, &answer, result == 0);
    return result;
}
