// The program is started without standard output; the first file gets that number, and gives it back.
// RUN: options --enable use-of-closed-descriptor --enable double-close
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* A descriptor that is none of a standard stream. */
static int safe(int file) {
    if (file > 2) return file;
    int copy = fcntl(file, F_DUPFD, 3);
    close(file);
    return copy;
}

int main(int count, char **arguments) {
    if (count == 1) {
        close(1);
        execl("/proc/self/exe", arguments[0], "again", (char *)NULL);
        return 1;
    }
    int file = safe(open("/dev/null", O_WRONLY));
    if (file < 3 || write(file, "x", 1) != 1) return 2;
    if (write(1, "x", 1) != -1) return 3;
    puts("text");
    if (fclose(stdout) != -1) return 4;
    return close(file);
}
