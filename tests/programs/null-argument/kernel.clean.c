// Pointers through which the kernel reads and writes are there.
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
    char *word = words[0], *name = "/none/file";
    struct sockaddr_storage there;
    socklen_t room = sizeof there;
    struct sockaddr *from = count > 0 ? (struct sockaddr *)&there : NULL;
    socklen_t *length = count > 0 ? &room : NULL;
    struct flock one = {.l_type = F_RDLCK}, *lock = count > 0 ? &one : NULL;
    char *const none[] = {NULL};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 1;
    getpeername(ends[0], from, &room);
    getsockname(ends[0], (struct sockaddr *)&there, length);
    getsockopt(ends[0], SOL_SOCKET, SO_TYPE, &size, length);
    ioctl(ends[0], FIONREAD, length);
    fcntl(ends[0], F_GETLK, lock);
    mkdir(name, 0700);
    open(name, O_RDONLY);
    execv(name, none);
    execve(name, none, none);
    execl(name, word, NULL);
    return 0;
}
