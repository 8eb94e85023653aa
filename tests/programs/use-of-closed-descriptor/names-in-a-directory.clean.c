// A directory is closed after the names in it are used; absolute names need none.
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
    openat(directory, "name", O_RDONLY);
    mkdirat(directory, "a/b/c", 0700);
    mkfifoat(directory, "a/b/c", 0600);
    mknodat(directory, "a/b/c", S_IFREG, 0);
    unlinkat(directory, "name", 0);
    renameat(directory, "name", AT_FDCWD, "a/b/c");
    renameat2(AT_FDCWD, "name", directory, "name", 0);
    linkat(directory, "name", AT_FDCWD, "a/b/c", 0);
    symlinkat("name", directory, "a/b/c");
    readlinkat(directory, "name", text, sizeof text);
    fchmodat(directory, "name", 0600, 0);
    fchownat(directory, "name", -1, -1, 0);
    faccessat(directory, "name", R_OK, 0);
    utimensat(directory, "name", NULL, 0);
    fstatat(directory, "name", &status, 0);
    statx(directory, "name", 0, STATX_SIZE, &extended);
    close(directory);
    openat(directory, "/nonexistent/file", O_RDONLY);
    fstatat(directory, "/", &status, 0);
    return 0;
}
