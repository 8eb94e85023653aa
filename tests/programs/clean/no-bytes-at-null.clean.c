// A length of zero goes with a null pointer: empty containers compare, search, print and wait so.
// RUN: options --enable use-of-uninitialized-value --enable uninitialized-read
#define _GNU_SOURCE
#include <poll.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static int by_letter(const void *a, const void *b) {
    return *(const char *)a - *(const char *)b;
}

static int bytes(void *none, size_t zero) {
    return memcmp(none, none, zero) || bcmp(none, none, zero) || memchr(none, 0, zero) ||
           memrchr(none, 0, zero) || memmem(none, zero, "a", 1);
}

static int texts(void *none, size_t zero) {
    return strncmp(none, none, zero) || strncasecmp(none, none, zero) || strnlen(none, zero) ||
           wmemcmp(none, none, zero) || wcsncmp(none, none, zero) || wcsnlen(none, zero);
}

static int searches(void *none, size_t zero) {
    size_t count = zero;
    qsort(none, zero, 1, by_letter);
    return bsearch("a", none, zero, 1, by_letter) || lfind("a", none, &count, 1, by_letter);
}

static int output(void *none, size_t zero) {
    char room[1];
    return snprintf(room, sizeof room, "%.*s%.0ls", (int)zero, (char *)none, (wchar_t *)none) ||
           fwrite(none, 1, zero, stdout) || write(1, none, zero) > 0;
}

static int waits(void *none, size_t zero) {
    struct timespec soon = {0, 1};
    return poll(none, zero, 0) || ppoll(none, zero, &soon, none);
}

static int messages(void *none, size_t zero) {
    int ends[2];
    struct msghdr message = {.msg_iov = none, .msg_iovlen = zero};
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends)) return 1;
    int sent = send(ends[0], none, zero, 0) || sendmsg(ends[0], &message, 0);
    close(ends[0]);
    close(ends[1]);
    return sent;
}

int main(int argc, char **argv) {
    void *none = argc > 9 ? argv : NULL;
    size_t zero = (size_t)argc / 9;
    return bytes(none, zero) || texts(none, zero) || searches(none, zero) || output(none, zero) ||
           waits(none, zero) || messages(none, zero);
}
