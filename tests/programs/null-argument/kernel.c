// Null pointers through which the kernel would read or write; it refuses them.
// ASan misses this: it looks at what a call has stored
// RUN: options --keep-going
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int count, char **words) {
    int ends[2], size = sizeof(int);
    char *word = words[0], *name = getenv("NAME OF A FILE");
    struct sockaddr_storage there;
    socklen_t room = sizeof there;
    struct sockaddr *from = count > 9 ? (struct sockaddr *)&there : NULL;
    socklen_t *length = count > 9 ? &room : NULL;
    struct flock one = {.l_type = F_RDLCK}, *lock = count > 9 ? &one : NULL;
    char *const none[] = {NULL};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 1;
    getpeername(ends[0], from, &room); // EXPECT null-argument address 0 in getpeername
    getsockname(ends[0], (struct sockaddr *)&there, length); // EXPECT null-argument address 0 in getsockname
    getsockopt(ends[0], SOL_SOCKET, SO_TYPE, &size, length); // EXPECT null-argument address 0 in getsockopt
    ioctl(ends[0], FIONREAD, length); // EXPECT null-argument address 0 in ioctl
    fcntl(ends[0], F_GETLK, lock); // EXPECT null-argument address 0 in fcntl
    mkdir(name, 0700); // EXPECT null-argument address 0 in mkdir
    open(name, O_RDONLY); // EXPECT null-argument address 0 in open
    execv(name, none); // EXPECT null-argument address 0 in execv
    execve(name, none, none); // EXPECT null-argument address 0 in execve
    execl(name, word, NULL); // EXPECT null-argument address 0 in execl
    return 0;
}
