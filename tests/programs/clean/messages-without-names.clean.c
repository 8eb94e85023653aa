// Messages are received without a name, although their headers give it a length, and several with and without control data.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    char *text = malloc(4);
    struct iovec part = {text, 4};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1, .msg_namelen = 16, .msg_controllen = 8};
    struct mmsghdr headers[2] = {{.msg_hdr = header}, {.msg_hdr = header}};
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends))
        return 1;
    for (int i = 0; i < 3; i++)
        if (send(ends[0], "four", 4, 0) != 4)
            return 2;
    if (recvmsg(ends[1], &header, 0) != 4 || memcmp(text, "four", 4))
        return 3;
    int count = recvmmsg(ends[1], headers, 2, 0, NULL);
    free(text);
    return count != 2 || headers[1].msg_len != 4;
}
