// closedir closes the descriptor that fdopendir was given.
// RUN: options --enable double-close
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

int main(void) {
    int file = open("/", O_RDONLY | O_DIRECTORY);
    DIR *directory = fdopendir(file);
    if (!directory) return 2;
    int count = 0;
    while (readdir(directory)) count++;
    closedir(directory);
    return count == 0;
}
