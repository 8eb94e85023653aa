// The structure of a request is larger than its block.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    if (pipe(ends) || write(ends[1], "abc", 3) != 3)
        return 1;
    void *waiting = malloc(sizeof(int));
    int result = ioctl(ends[0], FIONREAD, waiting);
    free(waiting);
    return result || ioctl(ends[0], FIOCLEX) || fcntl(ends[0], F_GETFD) != FD_CLOEXEC;
}
