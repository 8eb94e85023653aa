// System calls that are given unmapped structures, paths and vectors: the kernel answers EFAULT, and nothing is accessed.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int refused(long result) {
    int right = result == -1 && errno == EFAULT;
    errno = 0;
    return right;
}

int main(void) {
    int ends[2], file = open("/dev/zero", O_RDWR);
    char room[128], *gone = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct sockaddr *address = (struct sockaddr *)room;
    if (file < 0 || munmap(gone, 8192) || socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 1;
    void *volatile wild = gone + 64;
    if (!refused(getsockname(ends[0], address, wild))) return 2;
    if (!refused(getpeername(ends[0], address, wild))) return 3;
    if (!refused(getsockopt(ends[0], SOL_SOCKET, SO_TYPE, room, wild))) return 4;
    if (!refused(sendmsg(ends[0], wild, 0))) return 5;
    if (!refused(recvmsg(ends[0], wild, MSG_DONTWAIT))) return 6;
    if (!refused(readv(file, wild, 2))) return 7;
    if (!refused(writev(file, wild, 2))) return 8;
    char *none[] = {NULL}, *broken[] = {wild, NULL};
    if (!refused(open(wild, O_RDONLY)) || !refused(openat(AT_FDCWD, wild, O_RDONLY))) return 9;
    if (!refused(mkdir(wild, 0700)) || !refused(rename("/nonexistent", wild))) return 10;
    if (fopen(wild, "r") || errno != EFAULT) return 11;
    if (!refused(execve(wild, none, none)) || !refused(execle(wild, "none", NULL, none))) return 12;
    if (!refused(execve("/proc/self/exe", wild, none))) return 13;
    if (!refused(execve("/proc/self/exe", none, wild))) return 14;
    if (!refused(execve("/proc/self/exe", none, broken))) return 15;
    if (!refused(execv(wild, none))) return 16;
    return 0;
}
