// A program closes the end of a pipe after it has waited for it.
// RUN: options --enable use-of-closed-descriptor --keep-going
#define _GNU_SOURCE
#include <poll.h>
#include <sys/select.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    if (pipe(ends)) return 2;
    struct pollfd files[] = {{ends[1], POLLOUT, 0}, {ends[0], POLLIN, 0}, {-1, POLLIN, 0}};
    struct timespec none = {0, 0};
    struct timeval no_time = {0, 0};
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    poll(files, 3, 0);
    ppoll(files, 3, &none, NULL);
    select(ends[0] + 1, &set, NULL, NULL, &no_time);
    pselect(ends[0] + 1, NULL, NULL, &set, &none, NULL);
    close(ends[0]);
    close(ends[1]);
    return 0;
}
