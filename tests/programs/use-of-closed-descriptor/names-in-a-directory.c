// A directory is closed before the names in it are used.
// RUN: options --enable use-of-closed-descriptor --keep-going
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
    struct stat status;
    struct statx extended;
    char text[10];
    int directory = open("/proc/self", O_RDONLY | O_DIRECTORY);
    close(directory);
    openat(directory, "name", O_RDONLY); // EXPECT use-of-closed-descriptor in openat
    mkdirat(directory, "a/b/c", 0700); // EXPECT use-of-closed-descriptor in mkdirat
    mkfifoat(directory, "a/b/c", 0600); // EXPECT use-of-closed-descriptor in mkfifoat
    mknodat(directory, "a/b/c", S_IFREG, 0); // EXPECT use-of-closed-descriptor in mknodat
    unlinkat(directory, "name", 0); // EXPECT use-of-closed-descriptor in unlinkat
    renameat(directory, "name", AT_FDCWD, "a/b/c"); // EXPECT use-of-closed-descriptor in renameat
    renameat2(AT_FDCWD, "name", directory, "name", 0); // EXPECT use-of-closed-descriptor in renameat2
    linkat(directory, "name", AT_FDCWD, "a/b/c", 0); // EXPECT use-of-closed-descriptor in linkat
    symlinkat("name", directory, "a/b/c"); // EXPECT use-of-closed-descriptor in symlinkat
    readlinkat(directory, "name", text, sizeof text); // EXPECT use-of-closed-descriptor in readlinkat
    fchmodat(directory, "name", 0600, 0); // EXPECT use-of-closed-descriptor in fchmodat
    fchownat(directory, "name", -1, -1, 0); // EXPECT use-of-closed-descriptor in fchownat
    faccessat(directory, "name", R_OK, 0); // EXPECT use-of-closed-descriptor in faccessat
    utimensat(directory, "name", NULL, 0); // EXPECT use-of-closed-descriptor in utimensat
    fstatat(directory, "name", &status, 0); // EXPECT use-of-closed-descriptor
    statx(directory, "name", 0, STATX_SIZE, &extended); // EXPECT use-of-closed-descriptor in statx
    openat(directory, "/nonexistent/file", O_RDONLY);
    fstatat(directory, "/", &status, 0);
    return 0;
}
