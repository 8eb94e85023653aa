/* Every kind of checked library function with buffers of exactly the size it
 * needs: nothing may be reported, and the results must be the library's. */
#define _GNU_SOURCE
#include "common.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <wchar.h>

/* A block of exactly this size; filled with 'x', not terminated. */
static void *exact(size_t size) { return memset(malloc(size), 'x', size); }

static char *copy(const char *text) { return strcpy(exact(strlen(text) + 1), text); }

static int descending(const void *a, const void *b) { return *(const char *)b - *(const char *)a; }

static void memory(void) {
    char *a = exact(16), *b = exact(16);
    REQUIRE(memcpy(a, b, 16) == a && memmove(a + 1, a, 15) == a + 1 && mempcpy(a, b, 16) == a + 16);
    REQUIRE(!memcmp(a, b, 16) && !bcmp(a, b, 16) && memset(a, 'y', 16) == a);
    a[7] = 'z';
    REQUIRE(memchr(a, 'z', 1000) == a + 7 && rawmemchr(a, 'z') == a + 7 &&
            memrchr(a, 'z', 16) == a + 7);
    REQUIRE(memmem(a, 16, "yz", 2) == a + 6 && memccpy(b, a, 'z', 100) == b + 8);
    bzero(b, 16);
    swab(a, b, 16);
    REQUIRE(b[6] == 'z' && b[7] == 'y');
}

static void strings(void) {
    char *a = exact(6), *part, *rest;
    REQUIRE(strcpy(a, "hello") == a && stpcpy(a, "hello") == a + 5 && strlen(a) == 5);
    REQUIRE(strncpy(a, "longer than six", 6) == a && strnlen(a, 6) == 6 &&
            !strncmp(a, "longer x", 6));
    a[0] = 0;
    REQUIRE(!strcmp(strncat(strcat(a, "ab"), "cdefgh", 3), "abcde"));
    REQUIRE(strchr(a, 'c') == a + 2 && strrchr(a, 'c') == a + 2 && *strchrnul(a, '?') == 0);
    REQUIRE(strstr(a, "cd") == a + 2 && strcasestr(a, "CD") == a + 2 && strpbrk(a, "xd") == a + 3);
    REQUIRE(strspn(a, "abc") == 3 && strcspn(a, "dx") == 3 && !strcasecmp(a, "ABCDE"));
    REQUIRE(!strncasecmp(a, "ABCxyz", 3) && strcoll(a, "b") < 0 && strxfrm(NULL, a, 0) >= 5);
    part = copy("one,two");
    REQUIRE(!strcmp(strtok_r(part, ",", &rest), "one") &&
            !strcmp(strtok_r(NULL, ",", &rest), "two"));
    part = rest = copy("k=v");
    REQUIRE(!strcmp(strsep(&rest, "="), "k") && !strcmp(rest, "v"));
    REQUIRE(!strcmp(strdup(a), a) && !strcmp(strndup(a, 2), "ab"));
    wchar_t *w = exact(4 * sizeof *w);
    REQUIRE(wcscpy(w, L"abc") == w && wcslen(w) == 3 && !wcscmp(w, L"abc") &&
            wcschr(w, L'b') == w + 1);
    REQUIRE(wmemcpy(w, L"xyz", 4) == w && wcstol(L"12", NULL, 10) == 12);
    REQUIRE(mbstowcs(w, "abc", 4) == 3 && wcstombs(a, w, 6) == 3);
}

static void numbers(void) {
    char *end, *digits = exact(3);
    memcpy(digits, "12;", 3);
    REQUIRE(strtol(digits, &end, 10) == 12 && end == digits + 2 && atoi(digits) == 12);
    REQUIRE(strtod("1.5e2x", &end) == 150 && *end == 'x' && strtoul("ff", NULL, 16) == 255);
    REQUIRE(atof("2.5") == 2.5 && strtoll("-7", NULL, 0) == -7);
    char *letters = exact(3);
    memcpy(letters, "bca", 3);
    qsort(letters, 3, 1, descending);
    REQUIRE(!memcmp(letters, "cba", 3) && bsearch("b", letters, 3, 1, descending) == letters + 1);
    REQUIRE(!setenv("WRAPPED", "1", 1) && !strcmp(getenv("WRAPPED"), "1") && !unsetenv("WRAPPED"));
}

static int list(char *to, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(to, size, format, arguments);
    va_end(arguments);
    return length;
}

static void formatted(void) {
    char *a = exact(6), *made, *unterminated = exact(3), *word = exact(4);
    int number, count;
    REQUIRE(sprintf(a, "%d%s", 12, "345") == 5 &&
            snprintf(a, 6, "%.3s|%c", unterminated, '!') == 5);
    REQUIRE(snprintf(a, 100, "%*d", 5, 7) == 5 && list(a, 6, "%s", "longer") == 6 && !a[5]);
    REQUIRE(asprintf(&made, "%d", 42) == 2 && !strcmp(made, "42"));
    REQUIRE(sscanf("12 abc", "%d %3s%n", &number, word, &count) == 2 && number == 12 && count == 6);
    REQUIRE(sscanf("abcdef", "%4c", word) == 1 && !memcmp(word, "abcd", 4));
    REQUIRE(sscanf("text", "%ms", &made) == 1 && !strcmp(made, "text"));
    REQUIRE(sscanf("x", "%d %s", &number, (char *)NULL) == 0);
}

static void streams(void) {
    char *a = exact(6), *line = NULL, path[] = "/tmp/whence-test-XXXXXX", *buffer = exact(100);
    size_t size = 0;
    int file = mkstemp(path);
    FILE *stream = fdopen(file, "w+");
    REQUIRE(!setvbuf(stream, buffer, _IOFBF, 100) && fwrite("hello\nworld\n", 1, 12, stream) == 12);
    REQUIRE(fputs("12\n", stream) >= 0 && fprintf(stream, "%s\n", "end") == 4);
    rewind(stream);
    REQUIRE(fread(a, 1, 6, stream) == 6 && !memcmp(a, "hello\n", 6));
    REQUIRE(fgets(a, 4, stream) == a && !strcmp(a, "wor") && getline(&line, &size, stream) == 3);
    REQUIRE(fscanf(stream, "%5s", a) == 1 && !strcmp(a, "12"));
    REQUIRE(fgets(a, 1000, stream) == a && !strcmp(a, "\n")); /* less arrives than was offered */
    REQUIRE(fread(a, 1, 1000, stream) == 4);
    fclose(stream);
    REQUIRE((stream = fopen(path, "r")) && freopen(path, "a", stream) == stream && !fclose(stream));
    REQUIRE(!fopen("/no/such/file", "r") && errno == ENOENT && !remove(path));
}

static void files(void) {
    char *a = exact(10), *b = exact(5);
    int ends[2];
    struct stat *status = exact(sizeof *status);
    REQUIRE(!pipe(ends) && write(ends[1], "0123456789", 10) == 10);
    REQUIRE(read(ends[0], a, 5) == 5 && read(ends[0], b, 5000) == 5 && !memcmp(b, "56789", 5));
    struct iovec out[2] = {{a, 2}, {b, 5}}, in[2] = {{b, 5}, {a, 1000}};
    REQUIRE(writev(ends[1], out, 2) == 7 && readv(ends[0], in, 2) == 7);
    struct pollfd *polled = exact(sizeof *polled);
    *polled = (struct pollfd){ends[1], POLLOUT, 0};
    REQUIRE(poll(polled, 1, 0) == 1);
    REQUIRE(!stat("/", status) && S_ISDIR(status->st_mode) && !fstat(ends[0], status));
    REQUIRE(!chdir("/") && !strcmp(getcwd(exact(2), 2), "/") && getcwd(exact(2), 4096));
    int directory = open("/tmp", O_RDONLY);
    REQUIRE(directory >= 0 && openat(directory, ".", O_RDONLY) >= 0);
    REQUIRE(!access("/", R_OK) && access("/no/such", R_OK) < 0 && unlink("/no/such") < 0);
    char *target = realpath("/tmp/..", NULL);
    REQUIRE(target && readlink("/proc/self/cwd", exact(1), 1) == 1);
}

static void sockets(void) {
    int ends[2];
    char *a = exact(4);
    REQUIRE(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    REQUIRE(send(ends[0], "abcd", 4, 0) == 4 && recv(ends[1], a, 1000, 0) == 4 &&
            !memcmp(a, "abcd", 4));
    struct iovec part = {a, 4};
    struct msghdr *message = exact(sizeof *message);
    *message = (struct msghdr){.msg_iov = &part, .msg_iovlen = 1};
    REQUIRE(sendmsg(ends[0], message, 0) == 4 && recvmsg(ends[1], message, 0) == 4);
    int *value = exact(sizeof *value);
    socklen_t length = sizeof *value;
    REQUIRE(!getsockopt(ends[0], SOL_SOCKET, SO_TYPE, value, &length) && *value == SOCK_STREAM);
    struct in_addr *address = exact(sizeof *address);
    REQUIRE(inet_pton(AF_INET, "127.0.0.1", address) == 1);
    REQUIRE(!strcmp(inet_ntop(AF_INET, address, exact(10), INET_ADDRSTRLEN), "127.0.0.1"));
}

static void times(void) {
    time_t *moment = exact(sizeof *moment);
    struct tm *parts = exact(sizeof *parts);
    struct timespec *precise = exact(sizeof *precise);
    *moment = 86400;
    REQUIRE(gmtime_r(moment, parts) == parts && parts->tm_mday == 2 && timegm(parts) == 86400);
    REQUIRE(strftime(exact(11), 11, "%Y-%m-%d", parts) == 10);
    REQUIRE(strptime("1999", "%Y", parts) && parts->tm_year == 99);
    REQUIRE(time(moment) == *moment && time(NULL) >= *moment &&
            !clock_gettime(CLOCK_REALTIME, precise));
    REQUIRE(!gettimeofday(exact(sizeof(struct timeval)), NULL) &&
            strlen(ctime_r(moment, exact(26))) == 25);
}

int main(void) {
    memory();
    strings();
    numbers();
    formatted();
    streams();
    files();
    sockets();
    times();
    return 0;
}
