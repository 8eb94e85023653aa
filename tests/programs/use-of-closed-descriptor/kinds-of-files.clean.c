// Files of special kinds are closed after their use.
// RUN: options --enable use-of-closed-descriptor --keep-going
#define _GNU_SOURCE
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

int main(void) {
    int counter = eventfd(1, 0), timer = timerfd_create(CLOCK_MONOTONIC, 0), watch = inotify_init();
    int queue = epoll_create1(0), socket_ = socket(AF_UNIX, SOCK_STREAM, 0);
    eventfd_t value;
    struct itimerspec moment = {{0, 0}, {0, 0}};
    struct epoll_event event = {.events = EPOLLIN};
    sigset_t none;
    sigemptyset(&none);
    int signals = signalfd(-1, &none, 0);
    eventfd_read(counter, &value);
    eventfd_write(counter, 1);
    timerfd_settime(timer, 0, &moment, NULL);
    timerfd_gettime(timer, &moment);
    inotify_add_watch(watch, "/", IN_CREATE);
    inotify_rm_watch(watch, 1);
    signalfd(signals, &none, 0);
    epoll_ctl(queue, EPOLL_CTL_ADD, counter, &event);
    epoll_wait(queue, &event, 1, 0);
    sockatmark(socket_);
    close(counter), close(timer), close(watch), close(signals), close(queue), close(socket_);
    return 0;
}
