// The descriptors of a stream and of a directory are closed before those are read.
// RUN: options --enable use-of-closed-descriptor --keep-going
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    FILE *stream = fopen("/dev/zero", "r");
    DIR *directory = opendir("/");
    if (!stream || !directory) return 2;
    close(fileno(stream)), close(dirfd(directory));
    fgetc(stream); // EXPECT use-of-closed-descriptor
    fseek(stream, 1000000, SEEK_SET); // EXPECT use-of-closed-descriptor in fseek
    readdir(directory); // EXPECT use-of-closed-descriptor in readdir
    fclose(stream);
    closedir(directory);
    return 0;
}
