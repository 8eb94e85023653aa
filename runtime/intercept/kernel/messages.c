/* sys/socket.h: messages, which have a name, parts and control data. */
#include <stdarg.h>
#include "../check.h"
#include "../scatter.h"
#include "../../os/mem.h"
#include "../../os/os.h"

#include <sys/socket.h>

/* ---- one ---- */

/* A message that is received in place of the program's. */
struct substitute {
    struct msghdr header;
    struct bounce name, control;
    struct scatter scatter;
};

static void substitute_begin(struct site site, struct substitute *own,
                             const struct msghdr *message) {
    own->header = *message;
    own->name = bounce_block(site, message->msg_name, message->msg_namelen);
    own->control = bounce_block(site, message->msg_control, message->msg_controllen);
    own->scatter = scatter_begin(site, message->msg_iov, message->msg_iovlen);
    own->header.msg_name = own->name.buffer;
    own->header.msg_control = own->control.buffer;
    own->header.msg_iov = (struct iovec *)(uintptr_t)own->scatter.parts;
}

/* The kernel stores lengths and flags in the header if it has received the message. */
static void substitute_end(struct site site, struct substitute *own, struct msghdr *message,
                           ssize_t count) {
    int is_given = count >= 0;
    bounce_end(site, &own->name, is_given ? own->header.msg_namelen : 0);
    bounce_end(site, &own->control, is_given ? own->header.msg_controllen : 0);
    scatter_end(site, &own->scatter, arrived(count));
    if (!is_given) return;
    message->msg_namelen = own->header.msg_namelen;
    message->msg_controllen = own->header.msg_controllen;
    message->msg_flags = own->header.msg_flags;
}

WRAP(ssize_t, recvmsg, (int socket, struct msghdr *message, int flags)) {
    WRITE(message, sizeof *message);
    if (!is_there(message, sizeof *message)) return NEXT(recvmsg)(socket, message, flags);
    struct substitute own;
    substitute_begin(SITE, &own, message);
    ssize_t count = NEXT(recvmsg)(socket, &own.header, flags);
    substitute_end(SITE, &own, message, count);
    return count;
}

/* Of a longer name the kernel reads no more. */
#define NAME_MOST sizeof(struct sockaddr_storage)

static void check_sent(struct site site, const struct msghdr *message) {
    const void *name = message->msg_name, *control = message->msg_control;
    size_t length = message->msg_namelen < NAME_MOST ? message->msg_namelen : NAME_MOST;
    if (name) check_range(site, name, length, 0, name);
    if (control) check_range(site, control, message->msg_controllen, 0, control);
    check_gathered(site, message->msg_iov, message->msg_iovlen);
}

WRAP(ssize_t, sendmsg, (int socket, const struct msghdr *message, int flags)) {
    READ(message, sizeof *message);
    if (is_there(message, sizeof *message)) check_sent(SITE, message);
    return NEXT(sendmsg)(socket, message, flags);
}

/* ---- several ---- */

#define MESSAGES_MOST 1024u /* the kernel takes no more at once */

static unsigned messages_of(unsigned count) {
    return count < MESSAGES_MOST ? count : MESSAGES_MOST;
}

static int is_clean(const void *pointer, size_t size) {
    return !pointer || !size || access_clean((uintptr_t)pointer, size);
}

/* Whether no stand-in is needed. */
static int are_clean(const struct mmsghdr *messages, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        const struct msghdr *message = &messages[i].msg_hdr;
        if (!is_clean(message->msg_name, message->msg_namelen) ||
            !is_clean(message->msg_control, message->msg_controllen) ||
            !scatter_is_clean(message->msg_iov, message->msg_iovlen))
            return 0;
    }
    return 1;
}

static size_t room_for(unsigned count) {
    return wh_round_up(count * (sizeof(struct mmsghdr) + sizeof(struct substitute)), OS_PAGE);
}

WRAP(int, recvmmsg,
     (int socket, struct mmsghdr *messages, unsigned most, int flags, struct timespec *wait)) {
    unsigned count = messages_of(most);
    WRITE(messages, count * sizeof *messages);
    WRITE_IF(wait, sizeof *wait);
    int is_plain = !is_there(messages, count * sizeof *messages) || are_clean(messages, count);
    uintptr_t room = is_plain ? 0 : os_map(room_for(count));
    if (!room) return NEXT(recvmmsg)(socket, messages, most, flags, wait);
    struct mmsghdr *headers = (struct mmsghdr *)room;
    struct substitute *own = (struct substitute *)(headers + count);
    for (unsigned i = 0; i < count; i++) {
        substitute_begin(SITE, &own[i], &messages[i].msg_hdr);
        headers[i].msg_hdr = own[i].header;
    }
    int received = NEXT(recvmmsg)(socket, headers, count, flags, wait);
    for (unsigned i = 0; i < count; i++) {
        int is_given = received > 0 && i < (unsigned)received;
        own[i].header = headers[i].msg_hdr;
        substitute_end(SITE, &own[i], &messages[i].msg_hdr,
                       is_given ? (ssize_t)headers[i].msg_len : -1);
        if (is_given) messages[i].msg_len = headers[i].msg_len;
    }
    os_unmap(room, room_for(count));
    return received;
}

WRAP(int, sendmmsg, (int socket, struct mmsghdr *messages, unsigned most, int flags)) {
    unsigned count = messages_of(most);
    WRITE(messages, count * sizeof *messages);
    if (is_there(messages, count * sizeof *messages))
        for (unsigned i = 0; i < count; i++) check_sent(SITE, &messages[i].msg_hdr);
    return NEXT(sendmmsg)(socket, messages, most, flags);
}
