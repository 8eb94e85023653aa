/* sys/socket.h and names on the network. */
#include <stdarg.h>
#include "check.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* What a length says; 0 where there is none, and where the kernel will answer EFAULT. */
static socklen_t room_of(const socklen_t *length) {
    return is_there(length, sizeof *length) ? *length : 0;
}

/* An answer of at most *length bytes, of which `room` had been offered: as much
 * as was stored is checked, afterwards. */
static void check_answer(struct site site, const void *answer, const socklen_t *length,
                         socklen_t room) {
    if (answer && length) check_range(site, answer, *length < room ? *length : room, 1, answer);
}

/* ---- bytes ---- */

WRAP(ssize_t, recv, (int socket, void *to, size_t size, int flags)) {
    struct bounce bounce = bounce_begin(SITE, to, size);
    ssize_t count = recv(socket, bounce.buffer, size, flags);
    bounce_end(SITE, &bounce, arrived(count));
    return count;
}

ssize_t __recv_chk(int, void *, size_t, size_t, int);
WRAP(ssize_t, __recv_chk, (int socket, void *to, size_t size, size_t room, int flags)) {
    struct bounce bounce = bounce_begin(SITE, to, size);
    ssize_t count = __recv_chk(socket, bounce.buffer, size, room, flags);
    bounce_end(SITE, &bounce, arrived(count));
    return count;
}

WRAP(ssize_t, recvfrom,
     (int socket, void *to, size_t size, int flags, struct sockaddr *address, socklen_t *length)) {
    WRITE_IF(length, sizeof *length);
    socklen_t room = room_of(length);
    struct bounce bounce = bounce_begin(SITE, to, size);
    ssize_t count = recvfrom(socket, bounce.buffer, size, flags, address, length);
    if (count >= 0) check_answer(SITE, address, length, room);
    bounce_end(SITE, &bounce, arrived(count));
    return count;
}

WRAP(ssize_t, send, (int socket, const void *from, size_t size, int flags)) {
    READ(from, size);
    return send(socket, from, size, flags);
}

WRAP(ssize_t, sendto,
     (int socket, const void *from, size_t size, int flags, const struct sockaddr *address,
      socklen_t length)) {
    READ(from, size);
    READ_IF(address, length);
    return sendto(socket, from, size, flags, address, length);
}

/* ---- messages ---- */

static void check_message(struct site site, const struct msghdr *message, size_t total, int write) {
    const struct iovec *parts = message->msg_iov;
    check_range(site, parts, times(message->msg_iovlen, sizeof *parts), 0, parts);
    if (!is_there(parts, times(message->msg_iovlen, sizeof *parts))) return;
    for (size_t i = 0; i < message->msg_iovlen && total; i++) {
        size_t size = parts[i].iov_len < total ? parts[i].iov_len : total;
        check_range(site, parts[i].iov_base, size, write, parts[i].iov_base);
        total -= size;
    }
}

WRAP(ssize_t, recvmsg, (int socket, struct msghdr *message, int flags)) {
    WRITE(message, sizeof *message);
    ssize_t count = recvmsg(socket, message, flags);
    if (count >= 0) check_message(SITE, message, arrived(count), 1);
    return count;
}

WRAP(ssize_t, sendmsg, (int socket, const struct msghdr *message, int flags)) {
    READ(message, sizeof *message);
    if (is_there(message, sizeof *message)) {
        READ_IF(message->msg_name, message->msg_namelen);
        READ_IF(message->msg_control, message->msg_controllen);
        check_message(SITE, message, SIZE_MAX, 0);
    }
    return sendmsg(socket, message, flags);
}

/* ---- addresses ---- */

#define ADDRESS_IN(name)                                                                           \
    WRAP(int, name, (int socket, const struct sockaddr *address, socklen_t length)) {              \
        READ(address, length);                                                                     \
        return name(socket, address, length);                                                      \
    }

#define ADDRESS_OUT(name)                                                                          \
    WRAP(int, name, (int socket, struct sockaddr *restrict address, socklen_t *restrict length)) { \
        WRITE_IF(length, sizeof *length);                                                          \
        socklen_t room = room_of(length);                                                          \
        int result = name(socket, address, length);                                                \
        if (result >= 0) check_answer(SITE, address, length, room);                                \
        return result;                                                                             \
    }

ADDRESS_IN(bind)
ADDRESS_IN(connect)
ADDRESS_OUT(accept)
ADDRESS_OUT(getsockname)
ADDRESS_OUT(getpeername)

WRAP(int, accept4, (int socket, struct sockaddr *address, socklen_t *length, int flags)) {
    WRITE_IF(length, sizeof *length);
    socklen_t room = room_of(length);
    int result = accept4(socket, address, length, flags);
    if (result >= 0) check_answer(SITE, address, length, room);
    return result;
}

WRAP(int, socketpair, (int domain, int type, int protocol, int *ends)) {
    WRITE(ends, 2 * sizeof *ends);
    return socketpair(domain, type, protocol, ends);
}

WRAP(int, setsockopt, (int socket, int level, int name, const void *value, socklen_t length)) {
    READ_IF(value, length);
    return setsockopt(socket, level, name, value, length);
}

WRAP(int, getsockopt, (int socket, int level, int name, void *value, socklen_t *length)) {
    WRITE_IF(length, sizeof *length);
    socklen_t room = room_of(length);
    int result = getsockopt(socket, level, name, value, length);
    if (result == 0) check_answer(SITE, value, length, room);
    return result;
}

WRAP(int, getaddrinfo,
     (const char *node, const char *service, const struct addrinfo *hints,
      struct addrinfo **result)) {
    READ_STRING_IF(node);
    READ_STRING_IF(service);
    READ_IF(hints, sizeof *hints);
    WRITE(result, sizeof *result);
    return getaddrinfo(node, service, hints, result);
}

static size_t address_size(int family) { return family == AF_INET6 ? 16 : 4; }

WRAP(int, inet_pton, (int family, const char *text, void *address)) {
    READ_STRING(text);
    WRITE(address, address_size(family));
    return inet_pton(family, text, address);
}

WRAP(const char *, inet_ntop, (int family, const void *address, char *to, socklen_t size)) {
    READ(address, address_size(family));
    struct bounce bounce = bounce_begin(SITE, to, size);
    const char *text = inet_ntop(family, address, bounce.buffer, size);
    bounce_end(SITE, &bounce, text ? strlen(text) + 1 : 0);
    return text ? to : NULL;
}

WRAP(in_addr_t, inet_addr, (const char *text)) {
    READ_STRING(text);
    return inet_addr(text);
}
