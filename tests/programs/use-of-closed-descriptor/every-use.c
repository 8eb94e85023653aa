// A file is closed, and every function that does something with its descriptor is called.
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
    close(file);
    fcntl(file, F_SETFL, O_APPEND); // EXPECT use-of-closed-descriptor in fcntl
    ioctl(file, FIONREAD, &number); // EXPECT use-of-closed-descriptor in ioctl
    lseek(file, 0, SEEK_SET); // EXPECT use-of-closed-descriptor in lseek
    mmap(NULL, 10, PROT_READ, MAP_PRIVATE, file, 0); // EXPECT use-of-closed-descriptor in mmap
    posix_fadvise(file, 0, 0, POSIX_FADV_NORMAL); // EXPECT use-of-closed-descriptor in posix_fadvise
    posix_fallocate(file, 0, 10); // EXPECT use-of-closed-descriptor in posix_fallocate
    fallocate(file, 0, 0, 10); // EXPECT use-of-closed-descriptor in fallocate
    sync_file_range(file, 0, 10, 0); // EXPECT use-of-closed-descriptor in sync_file_range
    readahead(file, 0, 10); // EXPECT use-of-closed-descriptor in readahead
    futimens(file, NULL); // EXPECT use-of-closed-descriptor in futimens
    futimes(file, NULL); // EXPECT use-of-closed-descriptor in futimes
    fstatfs(file, &system); // EXPECT use-of-closed-descriptor in fstatfs
    fgetxattr(file, "user.name", text, 4); // EXPECT use-of-closed-descriptor in fgetxattr
    flistxattr(file, text, 4); // EXPECT use-of-closed-descriptor in flistxattr
    fsetxattr(file, "user.name", text, 4, XATTR_REPLACE); // EXPECT use-of-closed-descriptor in fsetxattr
    fremovexattr(file, "user.name"); // EXPECT use-of-closed-descriptor in fremovexattr
    tcsetattr(file, TCSANOW, &settings); // EXPECT use-of-closed-descriptor in tcsetattr
    tcflush(file, TCIFLUSH); // EXPECT use-of-closed-descriptor in tcflush
    tee(file, file, 10, SPLICE_F_NONBLOCK); // EXPECT use-of-closed-descriptor in tee
    dprintf(file, "%d", number); // EXPECT use-of-closed-descriptor
    fdopendir(file); // EXPECT use-of-closed-descriptor in fdopendir
    return 0;
}
