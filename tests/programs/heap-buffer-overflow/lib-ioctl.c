// The structure of a request is larger than its block.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    if (pipe(ends) || write(ends[1], "abc", 3) != 3)
        return 1;
    void *waiting = malloc(sizeof(short)); // ALLOC
    int result = ioctl(ends[0], FIONREAD, waiting); // EXPECT heap-buffer-overflow write 4 block 2 after 0 in ioctl
    free(waiting);
    return result || ioctl(ends[0], FIOCLEX) || fcntl(ends[0], F_GETFD) != FD_CLOEXEC;
}
