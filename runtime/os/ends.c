#include "ends.h"
#include "mem.h"
#include "os.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* ---- local sockets: the kernel knows the other end ---- */

struct request {
    struct nlmsghdr header;
    struct unix_diag_req of;
};

/* The number of the other end in an answer. */
static uint64_t peer_in(const char *answer, size_t size) {
    const struct nlmsghdr *header = (const void *)answer;
    size_t at = NLMSG_HDRLEN + NLMSG_ALIGN(sizeof(struct unix_diag_msg));
    if (size < at || header->nlmsg_type != SOCK_DIAG_BY_FAMILY || header->nlmsg_len > size)
        return 0;
    while (at + sizeof(struct rtattr) <= header->nlmsg_len) {
        const struct rtattr *attribute = (const void *)(answer + at);
        if (attribute->rta_len < sizeof *attribute || at + attribute->rta_len > size) return 0;
        if (attribute->rta_type == UNIX_DIAG_PEER &&
            attribute->rta_len >= RTA_LENGTH(sizeof(uint32_t)))
            return *(const uint32_t *)RTA_DATA(attribute);
        at += RTA_ALIGN(attribute->rta_len);
    }
    return 0;
}

static uint64_t peer_of(uint64_t number) {
    struct request request = {
        .header = {.nlmsg_len = sizeof request,
                   .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                   .nlmsg_flags = NLM_F_REQUEST},
        .of = {.sdiag_family = AF_UNIX,
               .udiag_states = ~0u,
               .udiag_ino = (uint32_t)number,
               .udiag_show = UDIAG_SHOW_PEER,
               .udiag_cookie = {~0u, ~0u}},
    };
    char answer[512] __attribute__((aligned(8)));
    long socket =
        os_call(SYS_socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG, 0, 0, 0);
    if (socket < 0) return 0;
    long size = os_call(SYS_sendto, socket, (long)&request, sizeof request, 0, 0, 0);
    if (size >= 0)
        size = os_call(SYS_recvfrom, socket, (long)answer, sizeof answer, MSG_DONTWAIT, 0, 0);
    os_close((int)socket);
    return size > 0 ? peer_in(answer, (size_t)size) : 0;
}

struct os_ends os_ends(int socket, uint64_t number) {
    struct sockaddr_storage own = {0}, other = {0};
    unsigned own_size = sizeof own, other_size = sizeof other;
    struct os_ends ends = {0};
    if (os_call(SYS_getsockname, socket, (long)&own, (long)&own_size, 0, 0, 0)) return ends;
    if (own.ss_family == AF_UNIX) return (struct os_ends){number, peer_of(number)};
    if (own.ss_family != AF_INET && own.ss_family != AF_INET6) return ends;
    if (os_call(SYS_getpeername, socket, (long)&other, (long)&other_size, 0, 0, 0)) return ends;
    uint64_t basis = WH_DIGEST_OF_NOTHING;
    ends.sent = wh_digest(wh_digest(basis, &own, own_size), &other, other_size);
    ends.received = wh_digest(wh_digest(basis, &other, other_size), &own, own_size);
    return ends;
}
