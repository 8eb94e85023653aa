// Members of structures by which the kernel and the C library decide were never written.
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
    list->ifc_req = room;
    ioctl(asked, SIOCGIFCONF, list); // EXPECT use-of-uninitialized-value
    struct ifreq *interface = malloc(sizeof *interface);
    ioctl(asked, SIOCGIFFLAGS, interface); // EXPECT use-of-uninitialized-value

    struct flock *lock = malloc(sizeof *lock);
    lock->l_type = F_RDLCK, lock->l_whence = SEEK_SET, lock->l_start = 0;
    fcntl(file, F_SETLK, lock); // EXPECT use-of-uninitialized-value

    struct iovec part = {"x", 1};
    struct msghdr *message = malloc(sizeof *message);
    message->msg_iov = &part, message->msg_iovlen = 1, message->msg_name = NULL;
    message->msg_control = NULL;
    sendmsg(ends[0], message, 0); // EXPECT use-of-uninitialized-value

    struct sockaddr_in *address = malloc(sizeof *address);
    address->sin_family = AF_INET, address->sin_port = htons(9);
    sendto(asked, "x", 1, MSG_DONTWAIT, (struct sockaddr *)address, sizeof *address); // EXPECT use-of-uninitialized-value

    free(list), free(interface), free(lock), free(message), free(address);
    return 0;
}
