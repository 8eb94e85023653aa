/* Library functions that are given undefined bytes. With the name of one: the call whose behaviour
 * depends on such a byte. Without: calls that do not, which pass undefined bytes on. */
#define _GNU_SOURCE
#include "common.h"
#include "values_rules.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/ether.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stddef.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <wchar.h>

#define SIZE 24

static uint64_t bits(const void *at, uint64_t size) {
    return __whence_value_load((uint64_t)at, size).bits;
}

/* The first `defined` bytes are 'a', the rest is undefined. */
static char *block(size_t defined) {
    char *begin = malloc(SIZE);
    memset(begin, 'a', defined);
    return begin;
}

/* Memory is zero somewhere in an undefined string, so that it ends. */
static char *string(size_t defined) {
    char *begin = block(defined);
    memset(begin + SIZE - 1, 0, 1);
    return begin;
}

#define FRESH(type) ((type *)malloc(sizeof(type)))

static volatile long result;

static void wrong(const char *name) {
    char to[100];
    int null = open("/dev/null", O_RDWR);
    struct iovec parts[] = {{to, 3}, {block(3), 5}};
    FILE *stream = fdopen(null, "w");
    wchar_t *wide = malloc(SIZE);
    memset(wide + 4, 0, sizeof *wide);
    memset(to, 'a', sizeof to);
#define CASE(function, ...)                                                                        \
    if (!strcmp(name, #function)) result = (long)function(__VA_ARGS__)
    CASE(strlen, string(9));
    CASE(strnlen, string(9), 10);
    CASE(strcmp, string(9), "aaaaaaaaaa");
    CASE(strncmp, "aaaaaaaaaa", string(9), 10);
    CASE(strcasecmp, string(2), "aax");
    CASE(strchr, string(2), 'x');
    CASE(strrchr, string(2), 'a');
    CASE(strspn, string(2), "a");
    CASE(strstr, "aaaaa", string(2));
    CASE(strcat, memcpy(to, string(2), SIZE), "b");
    CASE(strcoll, string(2), "aa");
    CASE(memcmp, block(9), "aaaaaaaaaaaa", 10);
    CASE(bcmp, "aaaaaaaaaaaa", block(9), 10);
    CASE(memchr, block(9), 'x', 10);
    CASE(atoi, string(0));
    CASE(strtol, string(0), NULL, 10);
    CASE(getenv, string(2));
    CASE(puts, string(2));
    CASE(fputs, string(2), stream);
    CASE(fwrite, block(2), 1, 3, stream);
    CASE(write, null, block(9), 10);
    CASE(pwrite, null, block(0), 1, 0);
    CASE(writev, null, parts, 2);
    CASE(send, null, block(0), 1, 0);
    CASE(open, string(3), 0);
    CASE(fopen, "/dev/null", string(0));
    CASE(printf, string(3));
    CASE(snprintf, to, sizeof to, "%s", string(3));
    CASE(sprintf, to, "%.4s", block(3));
    CASE(wcslen, wide);
    CASE(mktime, FRESH(struct tm));
    CASE(timegm, FRESH(struct tm));
    CASE(gmtime, FRESH(time_t));
    CASE(ctime, FRESH(time_t));
    CASE(asctime, FRESH(struct tm));
    CASE(nanosleep, FRESH(struct timespec), NULL);
    CASE(setitimer, ITIMER_VIRTUAL, FRESH(struct itimerval), NULL);
    CASE(poll, FRESH(struct pollfd), 1, 0);
    CASE(select, 0, NULL, NULL, NULL, FRESH(struct timeval));
    CASE(sigaction, SIGUSR1, FRESH(struct sigaction), NULL);
    CASE(sigprocmask, SIG_BLOCK, FRESH(sigset_t), NULL);
    CASE(setrlimit, RLIMIT_CORE, FRESH(struct rlimit));
    CASE(getpwnam, string(2));
    CASE(inet_ntop, AF_INET, FRESH(struct in_addr), to, sizeof to);
    CASE(ether_ntoa, FRESH(struct ether_addr));
    CASE(nrand48, (unsigned short *)block(0));
    CASE(prctl, PR_SET_NAME, string(2));
}

static void copies(void) {
    char *from = block(10), *to = block(24);
    memcpy(to, from, 20);
    REQUIRE(!bits(to, 8) && bits(to + 8, 8) == ~0ull << 16 && !bits(to + 20, 4));
    memmove(to + 3, to, 20);
    REQUIRE(!bits(to + 8, 5) && bits(to + 13, 8) == ~0ull && bits(to + 21, 2) == 0xffff);
    memset(to + 1, 0, 23);
    REQUIRE(!bits(to, 8) && !bits(to + 8, 8) && !bits(to + 16, 8));
    memset(from + 12, 0, 1);
    char *end = stpcpy(to, from); /* ends at the first zero that there is */
    REQUIRE(end <= to + 12 && bits(to + 10, 1) == (end > to + 10 ? 0xff : 0));
    to = block(24);
    strncpy(to, "aa", 20);
    REQUIRE(!bits(to, 8) && !bits(to + 12, 8));
    to = block(0);
    strncpy(to, "aa", 20);
    REQUIRE(!bits(to, 8) && !bits(to + 12, 8) && bits(to + 20, 4) == ~0u);
    to = strdup("0123456789");
    REQUIRE(!bits(to, 8) && !bits(to + 8, 3));
    to = memcpy(block(0), "a", 2);
    strcat(to, "bcdefg");
    REQUIRE(!bits(to, 8) && bits(to + 8, 8) == ~0ull);
}

static void answers(void) {
    int ends[2];
    char *to = block(0);
    REQUIRE(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    REQUIRE(write(ends[0], "0123456789", 10) == 10 && read(ends[1], to, SIZE) == 10);
    REQUIRE(!bits(to, 8) && !bits(to + 8, 2) && bits(to + 10, 8) == ~0ull);
    to = block(0);
    struct iovec parts[] = {{to, 3}, {to + 4, 16}};
    REQUIRE(write(ends[0], "0123456789", 10) == 10 && readv(ends[1], parts, 2) == 10);
    REQUIRE(!bits(to, 3) && !bits(to + 4, 7) && bits(to + 11, 1) == 0xff);
    to = block(0);
    REQUIRE(snprintf(to, SIZE, "%d", 1234567) == 7 && !bits(to, 8) && bits(to + 8, 8) == ~0ull);
    to = block(0);
    FILE *stream = fmemopen("line\nnext", 9, "r");
    REQUIRE(fgets(to, SIZE, stream) == to && !bits(to, 6) && bits(to + 6, 1) == 0xff);
    to = block(0);
    REQUIRE(fread(to, 2, 2, stream) == 2 && !bits(to, 4) && bits(to + 4, 4) == ~0u);
    fclose(stream);
}

static void right(void) {
    copies();
    answers();
    REQUIRE(strcmp(string(3), "ab") < 0 && strncmp(string(3), "aaa", 3) == 0);
    REQUIRE(memcmp(block(3), "abaaaa", 6) < 0 && memchr(block(3), 'a', 6));
    REQUIRE(strchr(string(3), 'a') && strspn(string(3), "b") == 0);
    char *number = block(2);
    memcpy(number, "1 ", 2);
    REQUIRE(atoi(number) == 1 && strtol(number, NULL, 10) == 1);
    struct tm *parts = FRESH(struct tm);
    memset(parts, 0, offsetof(struct tm, tm_wday));
    parts->tm_mday = 1;
    REQUIRE(timegm(parts) < 0 && parts->tm_wday == 1);
    struct pollfd *file = FRESH(struct pollfd);
    file->fd = -1;
    REQUIRE(poll(file, 1, 0) == 0);
    REQUIRE(printf("%.2s\n", string(2)) == 3 && fwrite(block(4), 2, 2, stdout) == 2);
}

int main(int argc, char **argv) {
    if (argc > 1)
        wrong(argv[1]);
    else
        right();
    return 0;
}
