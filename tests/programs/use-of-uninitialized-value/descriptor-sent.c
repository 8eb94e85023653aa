// A descriptor that was never written goes to another process: the kernel takes it for one.
// RUN: options --enable use-of-uninitialized-value
#define _GNU_SOURCE
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SEVERAL 3

static int given(int *files, int count) {
    for (int i = 0; i + 1 < count; i++) files[i] = 1;
    return count;
}

int main(void) {
    int ends[2], files[SEVERAL]; // BORN
    char letter = 'x';
    union {
        char room[2 * CMSG_SPACE(sizeof files)];
        struct cmsghdr first;
    } control = {{0}};
    struct iovec part = {&letter, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control};
    int count = given(files, SEVERAL);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 1;
    control.first.cmsg_level = SOL_SOCKET;
    control.first.cmsg_type = SCM_RIGHTS;
    control.first.cmsg_len = CMSG_LEN((size_t)count * sizeof *files);
    memcpy(CMSG_DATA(&control.first), files, (size_t)count * sizeof *files);
    message.msg_controllen = CMSG_SPACE((size_t)count * sizeof *files);
    (void)!sendmsg(ends[0], &message, 0); // EXPECT use-of-uninitialized-value use memory
    close(ends[0]);
    close(ends[1]);
    return 0;
}
