// A child of vfork closes its copy first; the parent closes its own twice.
// RUN: options --enable double-close
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int status;
    pid_t child = vfork();
    if (child == 0) {
        close(0);
        _exit(0);
    }
    waitpid(child, &status, 0);
    int file = open("/dev/null", O_RDONLY);
    if (file < 0) return 2;
    close(file);
    close(file); // EXPECT double-close in close
    return 0;
}
