// A file is closed after every function that does something with its descriptor.
// RUN: options --enable use-of-closed-descriptor --keep-going --leak-check no
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <termios.h>
#include <unistd.h>

int main(void) {
    struct statfs system;
    struct termios settings = {0};
    char text[4] = "abc";
    int number = 0, file = open("/dev/null", O_RDWR);
    fcntl(file, F_SETFL, O_APPEND);
    ioctl(file, FIONREAD, &number);
    lseek(file, 0, SEEK_SET);
    mmap(NULL, 10, PROT_READ, MAP_PRIVATE, file, 0);
    posix_fadvise(file, 0, 0, POSIX_FADV_NORMAL);
    posix_fallocate(file, 0, 10);
    fallocate(file, 0, 0, 10);
    sync_file_range(file, 0, 10, 0);
    readahead(file, 0, 10);
    futimens(file, NULL);
    futimes(file, NULL);
    fstatfs(file, &system);
    fgetxattr(file, "user.name", text, 4);
    flistxattr(file, text, 4);
    fsetxattr(file, "user.name", text, 4, XATTR_REPLACE);
    fremovexattr(file, "user.name");
    tcsetattr(file, TCSANOW, &settings);
    tcflush(file, TCIFLUSH);
    tee(file, file, 10, SPLICE_F_NONBLOCK);
    dprintf(file, "%d", number);
    fdopendir(file);
    close(file);
    return 0;
}
