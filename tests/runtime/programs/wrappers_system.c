/* Checked library functions about the system, streams, directories, text and threads, with
 * buffers of exactly the size they need: nothing may be reported, and the results must be
 * the library's. */
#define _GNU_SOURCE
#include "common.h"
#include <arpa/inet.h>
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <ifaddrs.h>
#include <libgen.h>
#include <libintl.h>
#include <locale.h>
#include <math.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <syslog.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>
#include <wordexp.h>

/* A block of exactly this size; filled with 'x', not terminated. */
static void *exact(size_t size) { return memset(malloc(size), 'x', size); }

#define EXACT(type) ((type *)exact(sizeof(type)))

static char *copy(const char *text) { return strcpy(exact(strlen(text) + 1), text); }

static void streams(void) {
    char **text = EXACT(char *), *line;
    size_t *size = EXACT(size_t);
    wchar_t *wide = exact(4 * sizeof *wide);
    FILE *stream = open_memstream(text, size);
    REQUIRE(fputc('a', stream) == 'a' && putc('b', stream) == 'b' && putw(0x64646464, stream) == 0);
    REQUIRE(!fflush(stream) && *size == 6 && !strncmp(*text, "abdddd", 6) && ftell(stream) == 6);
    REQUIRE(!fflush(NULL) && !fclose(stream));
    REQUIRE((stream = tmpfile()) && fputs("ab\ncd\n", stream) >= 0);
    setbuffer(stream, NULL, 0);
    rewind(stream);
    fpos_t *place = EXACT(fpos_t);
    REQUIRE(fgetc(stream) == 'a' && !fgetpos(stream, place) && getc(stream) == 'b');
    REQUIRE(!fsetpos(stream, place) && ungetc('z', stream) == 'z' && getc(stream) == 'z');
    REQUIRE(!fseek(stream, -1, SEEK_END) && getc(stream) == '\n' && getc(stream) == EOF);
    REQUIRE(feof(stream) && !ferror(stream) && fileno(stream) > 2);
    clearerr(stream);
    flockfile(stream);
    REQUIRE(getc_unlocked(stream) == EOF && feof_unlocked(stream));
    funlockfile(stream);
    fclose(stream);
    REQUIRE((stream = tmpfile()) && fputws(wcscpy(wide, L"abc"), stream) >= 0 && fputwc(L'\n', stream) == L'\n');
    rewind(stream);
    REQUIRE(fwide(stream, 0) > 0 && fgetws(wide, 4, stream) == wide && !wcscmp(wide, L"abc"));
    REQUIRE(fgetwc(stream) == L'\n' && ungetwc(L'q', stream) == L'q');
    fclose(stream);
    REQUIRE((line = tempnam(copy("/tmp"), copy("wh"))) && !strncmp(line, "/tmp/", 5));
    int kept = dup(2);
    REQUIRE(kept >= 0 && dup2(open("/dev/null", O_WRONLY), 2) == 2);
    warnx("%.3s", (char *)exact(3));
    warn(NULL);
    REQUIRE(dup2(kept, 2) == 2);
    syslog(LOG_DEBUG, "%.3s", (char *)exact(3));
}

static int seen;
static int visit(const char *path, const struct stat *status, int kind) {
    (void)status, (void)kind;
    return path[0] == '/' && ++seen ? 0 : 1;
}
static int visit_more(const char *path, const struct stat *status, int kind, struct FTW *at) {
    (void)at;
    return visit(path, status, kind);
}

static void directories(char *path) {
    DIR *directory = opendir(path);
    struct dirent ***names = EXACT(struct dirent **);
    REQUIRE(directory && readdir(directory) && dirfd(directory) > 2);
    long at = telldir(directory);
    seekdir(directory, at);
    rewinddir(directory);
    REQUIRE(readdir(directory) && !closedir(directory));
    REQUIRE(scandir(path, names, NULL, alphasort) == 4 && !strcmp((*names)[2]->d_name, "file"));
    REQUIRE(!ftw(path, visit, 5) && !nftw(path, visit_more, 5, FTW_PHYS) && seen >= 4);
    glob_t *found = EXACT(glob_t);
    REQUIRE(!glob(copy("/et[c]"), 0, NULL, found) && found->gl_pathc == 1);
    globfree(found);
    wordexp_t *words = EXACT(wordexp_t);
    REQUIRE(!wordexp(copy("one 'two three'"), words, 0) && words->we_wordc == 2);
    wordfree(words);
    REQUIRE(!fnmatch(copy("*.c"), copy("x.c"), 0) && !strcmp(dirname(copy("/a/b")), "/a"));
    REQUIRE(!strcmp(basename(copy("/a/b")), "b") && !strcmp(dirname(NULL), "."));
}

static void files(char *path) {
    char *name = exact(100), *second = exact(100);
    int directory, ends[2];
    sprintf(name, "%s/file", path);
    sprintf(second, "%s/link", path);
    int file = open(name, O_RDWR | O_CREAT, 0600);
    REQUIRE(write(file, "0123456789", 10) == 10 && !pipe(ends));
    off_t *offset = EXACT(off_t);
    *offset = 3;
    REQUIRE(sendfile(ends[1], file, offset, 4) == 4 && *offset == 7);
    REQUIRE((directory = open(path, O_RDONLY)) >= 0 && !symlinkat("file", directory, "link"));
    REQUIRE(readlinkat(directory, "link", exact(4), 100) == 4 && readlink(second, exact(4), 4) == 4);
    REQUIRE(!fstatat(directory, "file", EXACT(struct stat), 0) && !faccessat(directory, "file", R_OK, 0));
    REQUIRE(!statx(directory, "file", 0, STATX_SIZE, EXACT(struct statx)));
    REQUIRE(!statvfs("/", EXACT(struct statvfs)) && !statfs("/", EXACT(struct statfs)));
    struct timespec *moments = exact(2 * sizeof *moments);
    memset(moments, 0, 2 * sizeof *moments);
    REQUIRE(!futimens(file, moments) && !utimensat(directory, "file", NULL, 0) && !utime(name, NULL));
    REQUIRE(!mkdirat(directory, "sub", 0700) && !unlinkat(directory, "sub", AT_REMOVEDIR));
    REQUIRE(!renameat(directory, "link", directory, "link2") && !renameat(directory, "link2", directory, "link"));
    REQUIRE(ttyname_r(file, exact(5), 100) == ENOTTY && chown(name, getuid(), getgid()) == 0);
    REQUIRE(!removexattr(name, "user.none") || errno);
    REQUIRE(getxattr(name, "user.none", exact(3), 1000) < 0 && listxattr(name, exact(2), 0) >= 0);
    int queue = inotify_init();
    REQUIRE(queue < 0 || inotify_add_watch(queue, path, IN_CREATE) >= 0);
    REQUIRE((file = memfd_create(copy("name"), 0)) >= 0 && close(file) == 0);
}

static void text(void) {
    regex_t *expression = EXACT(regex_t);
    regmatch_t *matches = exact(2 * sizeof *matches);
    REQUIRE(!regcomp(expression, copy("b(c+)"), REG_EXTENDED));
    REQUIRE(!regexec(expression, copy("abccd"), 2, matches, 0) && matches[1].rm_eo == 4);
    matches->rm_so = 0, matches->rm_eo = 3;
    REQUIRE(!regexec(expression, memcpy(exact(3), "abc", 3), 1, matches, REG_STARTEND));
    REQUIRE(regerror(REG_NOMATCH, expression, exact(9), 9) == 9);
    size_t need = regerror(REG_NOMATCH, expression, NULL, 0);
    REQUIRE(regerror(REG_NOMATCH, expression, exact(need), 1000) == need);
    regfree(expression);
    REQUIRE(!regcomp(expression, "x", REG_NOSUB) && !regexec(expression, "x", 5, matches, 0));
    regfree(expression);
    iconv_t set = iconv_open(copy("UTF-8"), copy("LATIN1"));
    char *in = memcpy(exact(2), "a\344", 2), *out = exact(3), *end = out;
    size_t in_left = 2, out_left = 1000;
    REQUIRE(iconv(set, &in, &in_left, &end, &out_left) == 0 && end == out + 3 && !iconv(set, NULL, NULL, NULL, NULL));
    iconv_close(set);
    REQUIRE(setlocale(LC_ALL, copy("C")) && setlocale(LC_ALL, NULL) && newlocale(LC_ALL_MASK, "C", 0));
    REQUIRE(!strcmp(gettext(copy("message")), "message") && textdomain(NULL));
}

static int same(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void tables(void) {
    int *key = EXACT(int), *values = exact(3 * sizeof *values);
    size_t *count = EXACT(size_t);
    *key = 7, *count = 2, values[0] = 5, values[1] = 6;
    REQUIRE(!lfind(key, values, count, sizeof *key, same));
    REQUIRE(lsearch(key, values, count, sizeof *key, same) == &values[2] && *count == 3);
    REQUIRE(lsearch(key, values, count, sizeof *key, same) == &values[2] && *count == 3);
    void **root = EXACT(void *);
    *root = NULL;
    REQUIRE(tsearch(key, root, same) && tfind(key, root, same) && tdelete(key, root, same));
    char *options = copy("one,two=2"), *names[] = {"one", "two", NULL}, **value = EXACT(char *);
    REQUIRE(getsubopt(&options, names, value) == 0 && getsubopt(&options, names, value) == 1 && **value == '2');
    REQUIRE(rand_r(EXACT(unsigned)) >= 0);
}

static void databases(void) {
    struct passwd *user = EXACT(struct passwd), **result = EXACT(struct passwd *);
    gid_t *groups = exact(64 * sizeof *groups);
    int *count = EXACT(int);
    *count = 64;
    REQUIRE(getpwnam(copy("root")) && !getpwnam_r("root", user, exact(2000), 2000, result));
    REQUIRE(!getpwuid_r(0, user, exact(2000), 2000, result) && getgrnam(copy("root")));
    REQUIRE(getgrouplist("root", 0, groups, count) >= 1 && getgroups(0, NULL) >= 0);
    struct in_addr *address = EXACT(struct in_addr);
    REQUIRE(inet_aton(copy("127.0.0.1"), address) && inet_network("10.0.0.1"));
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST}, **found = EXACT(struct addrinfo *);
    REQUIRE(!getaddrinfo("127.0.0.1", "80", &hints, found));
    REQUIRE(!getnameinfo((*found)->ai_addr, (*found)->ai_addrlen, exact(10), 10, exact(3), 3,
                         NI_NUMERICHOST | NI_NUMERICSERV));
    freeaddrinfo(*found);
    struct ifaddrs **interfaces = EXACT(struct ifaddrs *);
    if (!getifaddrs(interfaces)) freeifaddrs(*interfaces);
    REQUIRE(!if_nametoindex(copy("nosuch0")) && if_nametoindex("lo") == 1 ? if_indextoname(1, exact(3)) != NULL : 1);
}

static void more_databases(void) {
    struct hostent *host = EXACT(struct hostent), **found = EXACT(struct hostent *);
    struct protoent *protocol = EXACT(struct protoent), **known = EXACT(struct protoent *);
    struct servent *service = EXACT(struct servent), **served = EXACT(struct servent *);
    struct passwd *user = EXACT(struct passwd), **next = EXACT(struct passwd *);
    struct group *group = EXACT(struct group), **following = EXACT(struct group *);
    int *error = EXACT(int);
    REQUIRE(!gethostbyname_r(copy("127.0.0.1"), host, exact(2000), 2000, found, error) && *found == host);
    REQUIRE(!gethostbyname2_r("127.0.0.1", AF_INET, host, exact(2000), 2000, found, error) && *found == host);
    gethostbyaddr_r(memcpy(exact(4), "\x7f\0\0\1", 4), 4, AF_INET, host, exact(2000), 2000, found, error);
    getprotobyname_r(copy("tcp"), protocol, exact(2000), 2000, known);
    getprotobynumber_r(6, protocol, exact(2000), 2000, known);
    getservbyname_r(copy("http"), copy("tcp"), service, exact(2000), 2000, served);
    getservbyport_r(htons(80), NULL, service, exact(2000), 2000, served);
    setpwent();
    setgrent();
    REQUIRE(!getpwent_r(user, exact(2000), 2000, next) && !getgrent_r(group, exact(2000), 2000, following));
    struct ether_addr *card = EXACT(struct ether_addr);
    REQUIRE(ether_aton_r(copy("1:2:3:4:5:a"), card) == card && ether_aton("1:2:3:4:5:6") && !ether_aton("1"));
    REQUIRE(!strcmp(ether_ntoa_r(card, exact(12)), "1:2:3:4:5:a") && !strcmp(ether_ntoa(card), "1:2:3:4:5:a"));
}

static void numbers_by_chance(void) {
    struct drand48_data *state = EXACT(struct drand48_data);
    unsigned short *last = memset(exact(6), 1, 6), *parameters = memset(exact(14), 1, 14);
    double *real = EXACT(double);
    long *whole = EXACT(long);
    REQUIRE(!srand48_r(1, state) && !drand48_r(state, real) && *real >= 0 && *real < 1);
    REQUIRE(!lrand48_r(state, whole) && *whole >= 0 && !mrand48_r(state, whole));
    REQUIRE(!erand48_r(last, state, real) && !nrand48_r(last, state, whole) && !jrand48_r(last, state, whole));
    REQUIRE(erand48(last) < 1 && nrand48(last) >= 0 && jrand48(last) | 1);
    REQUIRE(!seed48_r(last, state) && seed48(last) && !lcong48_r(parameters, state));
    lcong48(parameters);
    struct random_data *generator = memset(EXACT(struct random_data), 0, sizeof *generator);
    int32_t *drawn = EXACT(int32_t);
    REQUIRE(!initstate_r(1, exact(32), 60, generator) && !srandom_r(2, generator));
    REQUIRE(!random_r(generator, drawn) && *drawn >= 0 && initstate(1, exact(64), 64));
}

static void sets_and_names(void) {
    sigset_t *one = exact(8), *two = exact(8), *both = exact(8);
    REQUIRE(!sigemptyset(one) && !sigfillset(two) && !sigandset(both, one, two) && sigisemptyset(both));
    REQUIRE(!sigorset(both, one, two) && !sigisemptyset(both));
    char *name = exact(16);
    REQUIRE(!prctl(PR_SET_NAME, copy("renamed")) && !prctl(PR_GET_NAME, name) && !strcmp(name, "renamed"));
    REQUIRE(!prctl(PR_GET_PDEATHSIG, EXACT(int)) && prctl(PR_GET_DUMPABLE) >= 0);
    DIR *directory = opendir("/");
    struct dirent *entry = EXACT(struct dirent), **read = EXACT(struct dirent *);
    REQUIRE(directory && !readdir_r(directory, entry, read) && *read == entry);
    struct dirent64 *large = EXACT(struct dirent64), **there = EXACT(struct dirent64 *);
    REQUIRE(!readdir64_r(directory, large, there) && *there == large && !closedir(directory));
}

static void *thread(void *argument) {
    sem_post(argument);
    return argument;
}

static int once_run;
static void once(void) { once_run++; }

static void threads(void) {
    pthread_mutex_t *mutex = EXACT(pthread_mutex_t);
    pthread_cond_t *condition = EXACT(pthread_cond_t);
    pthread_rwlock_t *lock = EXACT(pthread_rwlock_t);
    pthread_barrier_t *barrier = EXACT(pthread_barrier_t);
    pthread_once_t *control = EXACT(pthread_once_t);
    sem_t *semaphore = EXACT(sem_t);
    struct timespec *past = EXACT(struct timespec);
    *past = (struct timespec){1, 0};
    REQUIRE(!pthread_mutex_init(mutex, NULL) && !pthread_cond_init(condition, NULL));
    REQUIRE(!pthread_mutex_lock(mutex) && pthread_mutex_trylock(mutex) == EBUSY);
    REQUIRE(pthread_cond_timedwait(condition, mutex, past) == ETIMEDOUT);
    REQUIRE(!pthread_cond_signal(condition) && !pthread_cond_broadcast(condition));
    REQUIRE(!pthread_mutex_unlock(mutex) && !pthread_mutex_timedlock(mutex, past) && !pthread_mutex_unlock(mutex));
    REQUIRE(!pthread_mutex_destroy(mutex) && !pthread_cond_destroy(condition));
    REQUIRE(!pthread_rwlock_init(lock, NULL) && !pthread_rwlock_rdlock(lock) && !pthread_rwlock_tryrdlock(lock));
    REQUIRE(!pthread_rwlock_unlock(lock) && !pthread_rwlock_unlock(lock) && !pthread_rwlock_wrlock(lock));
    REQUIRE(!pthread_rwlock_unlock(lock) && !pthread_rwlock_destroy(lock));
    REQUIRE(!pthread_barrier_init(barrier, NULL, 1) && pthread_barrier_wait(barrier) && !pthread_barrier_destroy(barrier));
    *control = PTHREAD_ONCE_INIT;
    REQUIRE(!pthread_once(control, once) && !pthread_once(control, once) && once_run == 1);
    pthread_t started;
    void **result = EXACT(void *);
    int *value = EXACT(int);
    REQUIRE(!sem_init(semaphore, 0, 0) && !pthread_create(&started, NULL, thread, semaphore));
    REQUIRE(!sem_wait(semaphore) && !pthread_join(started, result) && *result == semaphore);
    REQUIRE(sem_trywait(semaphore) < 0 && !sem_getvalue(semaphore, value) && !*value && !sem_destroy(semaphore));
}

static void signals(void) {
    sigset_t *set = exact(8), *old = exact(8);
    REQUIRE(!sigemptyset(set) && !sigaddset(set, SIGUSR1) && sigismember(set, SIGUSR1) == 1);
    REQUIRE(!sigprocmask(SIG_BLOCK, set, old) && !raise(SIGUSR1) && !sigpending(old));
    int *which = EXACT(int);
    REQUIRE(!sigwait(set, which) && *which == SIGUSR1 && !raise(SIGUSR1));
    struct timespec *none = EXACT(struct timespec);
    *none = (struct timespec){0, 0};
    REQUIRE(sigtimedwait(set, EXACT(siginfo_t), none) == SIGUSR1 && sigtimedwait(set, NULL, none) < 0);
    REQUIRE(!sigaction(SIGUSR1, NULL, EXACT(struct sigaction)) && !sigaltstack(NULL, EXACT(stack_t)));
    REQUIRE(!pthread_sigmask(SIG_UNBLOCK, set, NULL) && !sigdelset(set, SIGUSR1) && !sigfillset(set));
}

static void processes(void) {
    int *status = EXACT(int);
    pid_t child = fork();
    if (!child) _exit(3);
    REQUIRE(waitpid(child, status, 0) == child && WEXITSTATUS(*status) == 3);
    if (!(child = fork())) _exit(0);
    REQUIRE(wait4(child, NULL, 0, EXACT(struct rusage)) == child && wait(NULL) < 0);
    REQUIRE(!uname(EXACT(struct utsname)) && !sysinfo(EXACT(struct sysinfo)) && times(EXACT(struct tms)) != -1);
    REQUIRE(!getrusage(RUSAGE_SELF, EXACT(struct rusage)) && !getrlimit(RLIMIT_NOFILE, EXACT(struct rlimit)));
    REQUIRE(getloadavg(exact(3 * sizeof(double)), 3) >= -1);
    REQUIRE(!sched_getaffinity(0, 128, exact(128)) && !clock_nanosleep(CLOCK_REALTIME, 0, &(struct timespec){0, 1}, NULL));
    REQUIRE(!getitimer(ITIMER_REAL, EXACT(struct itimerval)) && tcgetattr(-1, EXACT(struct termios)) < 0);
    REQUIRE(getrandom(exact(5), 5, 0) == 5 && !getentropy(exact(3), 3));
    timer_t *timer = EXACT(timer_t);
    struct itimerspec *next = EXACT(struct itimerspec);
    memset(next, 0, sizeof *next);
    REQUIRE(!timer_create(CLOCK_REALTIME, &(struct sigevent){.sigev_notify = SIGEV_NONE}, timer));
    REQUIRE(!timer_settime(*timer, 0, next, NULL) && !timer_gettime(*timer, next));
}

static void waiting(void) {
    int ends[2], pair[2];
    REQUIRE(!pipe(ends) && !socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    fd_set *set = exact(8);
    memset(set, 0, 8);
    REQUIRE(ends[1] < 64 && (*(long *)set = 1L << ends[1]));
    REQUIRE(select(ends[1] + 1, NULL, set, NULL, &(struct timeval){0, 0}) == 1);
    REQUIRE(pselect(ends[1] + 1, NULL, set, NULL, NULL, NULL) == 1);
    struct pollfd *polled = EXACT(struct pollfd);
    *polled = (struct pollfd){ends[1], POLLOUT, 0};
    REQUIRE(ppoll(polled, 1, NULL, NULL) == 1);
    int queue = epoll_create1(0);
    struct epoll_event *event = EXACT(struct epoll_event);
    *event = (struct epoll_event){EPOLLOUT, {.fd = ends[1]}};
    REQUIRE(!epoll_ctl(queue, EPOLL_CTL_ADD, ends[1], event));
    REQUIRE(epoll_wait(queue, EXACT(struct epoll_event), 100, -1) == 1);
    REQUIRE(accept4(pair[0], NULL, NULL, 0) < 0);
    int *exponent = EXACT(int);
    double *whole = EXACT(double);
    volatile double value = 6.5;
    REQUIRE(frexp(value, exponent) == 0.8125 && *exponent == 3 && modf(value, whole) == 0.5 && *whole == 6);
}

int main(void) {
    char path[] = "/tmp/whence-test-XXXXXX";
    REQUIRE(mkdtemp(path));
    files(path);
    directories(path);
    streams();
    text();
    tables();
    databases();
    more_databases();
    numbers_by_chance();
    sets_and_names();
    threads();
    signals();
    processes();
    waiting();
    REQUIRE(!nftw(path, (__nftw_func_t)remove, 5, FTW_DEPTH | FTW_PHYS));
    return 0;
}
