/* sys/socket.h: messages, which have a name, parts and control data. */
#include <stdarg.h>
#include "kernel.h"
#include "../../os/mem.h"
#include "../../os/os.h"

/* ---- one ---- */

struct msghdr *substitute_begin(struct site site, struct substitute *own, struct msghdr *message) {
    if (!is_there(message, sizeof *message)) return message;
    own->message = message;
    own->header = *message;
    own->name = bounce_block(site, message->msg_name, message->msg_namelen);
    own->control = bounce_block(site, message->msg_control, message->msg_controllen);
    own->scatter = scatter_begin(site, message->msg_iov, message->msg_iovlen);
    own->header.msg_name = own->name.buffer;
    own->header.msg_control = own->control.buffer;
    own->header.msg_iov = (struct iovec *)(uintptr_t)own->scatter.parts;
    return &own->header;
}

/* The kernel stores lengths and flags in the header if it has received the message. */
void substitute_end(struct site site, struct substitute *own, ssize_t count) {
    struct msghdr *message = own->message;
    int is_given = count >= 0;
    if (!message) return;
    bounce_end(site, &own->name, is_given ? own->header.msg_namelen : 0);
    bounce_end(site, &own->control, is_given ? own->header.msg_controllen : 0);
    scatter_end(site, &own->scatter, arrived(count));
    if (!is_given) return;
    message->msg_namelen = own->header.msg_namelen;
    message->msg_controllen = own->header.msg_controllen;
    message->msg_flags = own->header.msg_flags;
}

/* Flags are looked at by nobody, and sizes of what is not there, neither. */
void check_header(struct site site, const struct msghdr *message) {
    if (!VALUES_ON || !is_there(message, sizeof *message)) return;
    check_used_bytes(site, &message->msg_name, sizeof message->msg_name);
    if (message->msg_name)
        check_used_bytes(site, &message->msg_namelen, sizeof message->msg_namelen);
    check_used_bytes(site, &message->msg_iovlen, sizeof message->msg_iovlen);
    if (message->msg_iovlen) check_used_bytes(site, &message->msg_iov, sizeof message->msg_iov);
    check_used_bytes(site, &message->msg_controllen, sizeof message->msg_controllen);
    if (message->msg_controllen)
        check_used_bytes(site, &message->msg_control, sizeof message->msg_control);
}

WRAP(ssize_t, recvmsg, (int socket, struct msghdr *message, int flags)) {
    WRITE(message, sizeof *message);
    check_header(SITE, message);
    struct substitute own = {0};
    ssize_t count =
        USED(socket, NEXT(recvmsg)(socket, substitute_begin(SITE, &own, message), flags));
    substitute_end(SITE, &own, count);
    if (count > 0)
        CAME_IN_PARTS(flags & MSG_PEEK ? -1 : socket, HERE, message->msg_iov, message->msg_iovlen,
                      arrived(count));
    return count;
}

/* Of a longer name the kernel reads no more. */
#define NAME_MOST sizeof(struct sockaddr_storage)

/* The kernel takes each item of control data for what its header says. */
static void check_items(struct site site, const void *control, size_t length) {
    size_t at = 0;
    if (!access_clean((uintptr_t)control, length)) return;
    while (length - at >= sizeof(struct cmsghdr)) {
        const struct cmsghdr *item = (const void *)((const char *)control + at);
        check_used_bytes(site, item, sizeof *item);
        if (item->cmsg_len < sizeof *item || item->cmsg_len > length - at) return;
        check_used_bytes(site, item + 1, item->cmsg_len - sizeof *item);
        size_t step = CMSG_ALIGN(item->cmsg_len);
        at += step < length - at ? step : length - at;
    }
}

void check_sent(struct site site, const struct msghdr *message) {
    if (!is_there(message, sizeof *message)) return;
    check_header(site, message);
    const void *name = message->msg_name, *control = message->msg_control;
    size_t length = message->msg_namelen < NAME_MOST ? message->msg_namelen : NAME_MOST;
    if (name) check_address(site, name, length);
    if (control) {
        check_range(site, control, message->msg_controllen, 0, control);
        if (VALUES_ON) check_items(site, control, message->msg_controllen);
    }
    check_gathered(site, message->msg_iov, message->msg_iovlen);
}

WRAP(ssize_t, sendmsg, (int socket, const struct msghdr *message, int flags)) {
    READ(message, sizeof *message);
    check_sent(SITE, message);
    announce_departs(NAME);
    ssize_t count = USED(socket, NEXT(sendmsg)(socket, message, flags));
    if (count > 0) LEFT_IN_PARTS(socket, HERE, message->msg_iov, message->msg_iovlen, count);
    return count;
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

size_t several_size(unsigned most) { return messages_of(most) * sizeof(struct mmsghdr); }

struct several several_begin(struct site site, struct mmsghdr *messages, unsigned most) {
    unsigned count = messages_of(most);
    struct several several = {messages, messages, count};
    int is_plain = !is_there(messages, count * sizeof *messages) || are_clean(messages, count);
    uintptr_t room = is_plain ? 0 : os_map(room_for(count));
    if (!room) return several;
    several.headers = (struct mmsghdr *)room;
    struct substitute *own = (struct substitute *)(several.headers + count);
    for (unsigned i = 0; i < count; i++)
        several.headers[i].msg_hdr = *substitute_begin(site, &own[i], &messages[i].msg_hdr);
    return several;
}

void several_end(struct site site, struct several *several, int received) {
    struct mmsghdr *headers = several->headers;
    if (headers == several->messages) return;
    struct substitute *own = (struct substitute *)(headers + several->count);
    for (unsigned i = 0; i < several->count; i++) {
        int is_given = received > 0 && i < (unsigned)received;
        own[i].header = headers[i].msg_hdr;
        substitute_end(site, &own[i], is_given ? (ssize_t)headers[i].msg_len : -1);
        if (is_given) several->messages[i].msg_len = headers[i].msg_len;
    }
    os_unmap((uintptr_t)headers, room_for(several->count));
}

WRAP(int, recvmmsg,
     (int socket, struct mmsghdr *messages, unsigned most, int flags, struct timespec *wait)) {
    WRITE(messages, several_size(most));
    WRITE_IF(wait, sizeof *wait);
    struct several several = several_begin(SITE, messages, most);
    int received = USED(socket, NEXT(recvmmsg)(socket, several.headers, most, flags, wait));
    several_end(SITE, &several, received);
    return received;
}

void check_all_sent(struct site site, struct mmsghdr *messages, unsigned most) {
    if (is_there(messages, several_size(most)))
        for (unsigned i = 0; i < messages_of(most); i++) check_sent(site, &messages[i].msg_hdr);
}

WRAP(int, sendmmsg, (int socket, struct mmsghdr *messages, unsigned most, int flags)) {
    WRITE(messages, several_size(most));
    check_all_sent(SITE, messages, most);
    announce_departs(NAME);
    return USED(socket, NEXT(sendmmsg)(socket, messages, most, flags));
}
