// A stream and a directory are closed after they are read.
// RUN: options --enable use-of-closed-descriptor --keep-going
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    FILE *stream = fopen("/dev/zero", "r");
    DIR *directory = opendir("/");
    if (!stream || !directory) return 2;
    fgetc(stream);
    fseek(stream, 1000000, SEEK_SET);
    readdir(directory);
    fclose(stream);
    closedir(directory);
    return 0;
}
