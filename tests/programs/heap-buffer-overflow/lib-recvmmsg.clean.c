// A message of several that are received is longer than its buffer.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) || write(ends[0], "0123456789", 10) != 10)
        return 1;
    char *text = malloc(10);
    struct iovec part = {text, 16};
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};
    int count = recvmmsg(ends[1], &message, 1, 0, NULL);
    free(text);
    return count != 1 || message.msg_len != 10;
}
