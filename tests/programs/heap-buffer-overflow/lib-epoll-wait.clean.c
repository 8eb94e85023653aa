// More events arrive than the array has elements.
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

int main(void) {
    int queue = epoll_create1(0), ends[2][2];
    for (int i = 0; i < 2; i++) {
        struct epoll_event event = {.events = EPOLLOUT};
        if (pipe(ends[i]) || epoll_ctl(queue, EPOLL_CTL_ADD, ends[i][1], &event))
            return 1;
    }
    struct epoll_event *events = malloc(2 * sizeof *events);
    int count = epoll_wait(queue, events, 8, 0);
    free(events);
    return count != 2;
}
