// What decides is written; what does not is left: what fills up an address, and the process of a lock.
// RUN: options --enable use-of-uninitialized-value --keep-going
#define _GNU_SOURCE
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    int ends[2], file = open("/dev/null", O_RDWR), asked = socket(AF_INET, SOCK_DGRAM, 0);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 1;

    struct ifreq room[8];
    struct ifconf *list = malloc(sizeof *list);
    list->ifc_req = room, list->ifc_len = sizeof room;
    ioctl(asked, SIOCGIFCONF, list);
    struct ifreq *interface = malloc(sizeof *interface);
    strcpy(interface->ifr_name, "lo");
    ioctl(asked, SIOCGIFFLAGS, interface);

    struct flock *lock = malloc(sizeof *lock);
    lock->l_type = F_RDLCK, lock->l_whence = SEEK_SET, lock->l_start = 0, lock->l_len = 1;
    fcntl(file, F_SETLK, lock);

    struct iovec part = {"x", 1};
    struct msghdr *message = malloc(sizeof *message);
    message->msg_iov = &part, message->msg_iovlen = 1, message->msg_name = NULL;
    message->msg_control = NULL, message->msg_controllen = 0;
    sendmsg(ends[0], message, 0);

    struct sockaddr_in *address = malloc(sizeof *address);
    address->sin_family = AF_INET, address->sin_port = htons(9), address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sendto(asked, "x", 1, MSG_DONTWAIT, (struct sockaddr *)address, sizeof *address);

    free(list), free(interface), free(lock), free(message), free(address);
    return 0;
}
