/* Functions that store results where arguments say. Every result has a block of exactly its size; the one that
 * the argument names is a byte too short. */
#define _GNU_SOURCE
#include "common.h"
#include <getopt.h>
#include <limits.h>
#include <locale.h>
#include <mntent.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <search.h>
#include <shadow.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <uchar.h>
#include <unistd.h>
#include <wchar.h>

static const char *shortened;

/* The block for a result of `name`. */
static void *block(const char *name, size_t size) {
    int is_short = shortened && !strcmp(shortened, name);
    return malloc(size - (size_t)is_short);
}
#define FOR(name, type) ((type *)block(name, sizeof(type)))

/* BEGIN(name, type, call with `it`) */
#define BEGIN(name, type, ...)                                                                                       \
    do {                                                                                                             \
        type *it = FOR(name, type);                                                                                  \
        REQUIRE(!(__VA_ARGS__));                                                                                     \
    } while (0)

/* A property of `from` is read, and looked at. */
#define GET(function, from, type)                                                                                    \
    do {                                                                                                             \
        type *it = FOR(#function, type);                                                                             \
        REQUIRE(!function(from, it) && *(volatile unsigned char *)it <= 255);                                        \
    } while (0)

static void thread_attributes(void) {
    pthread_attr_t *a = FOR("pthread_attr_init", pthread_attr_t);
    REQUIRE(!pthread_attr_init(a));
    REQUIRE(!pthread_attr_setstacksize(a, 1 << 20) && !pthread_attr_setdetachstate(a, PTHREAD_CREATE_JOINABLE));
    REQUIRE(!pthread_attr_setguardsize(a, 4096) && !pthread_attr_setscope(a, PTHREAD_SCOPE_SYSTEM));
    REQUIRE(!pthread_attr_setinheritsched(a, PTHREAD_INHERIT_SCHED) && !pthread_attr_setschedpolicy(a, SCHED_OTHER));
    GET(pthread_attr_getstacksize, a, size_t);
    GET(pthread_attr_getdetachstate, a, int);
    GET(pthread_attr_getguardsize, a, size_t);
    GET(pthread_attr_getscope, a, int);
    GET(pthread_attr_getinheritsched, a, int);
    GET(pthread_attr_getschedpolicy, a, int);
    GET(pthread_attr_getschedparam, a, struct sched_param);
    struct sched_param none = {0};
    REQUIRE(!pthread_attr_setschedparam(a, &none) && !pthread_attr_setstack(a, malloc(1 << 16), 1 << 16));
    void **stack = FOR("pthread_attr_getstack", void *);
    size_t *size = malloc(sizeof *size);
    REQUIRE(!pthread_attr_getstack(a, stack, size) && *stack && *size == 1 << 16 && !pthread_attr_destroy(a));
    BEGIN("pthread_getattr_np", pthread_attr_t, pthread_getattr_np(pthread_self(), it) || pthread_attr_destroy(it));
}

static void lock_attributes(void) {
    pthread_mutexattr_t *mutex = FOR("pthread_mutexattr_init", pthread_mutexattr_t);
    REQUIRE(!pthread_mutexattr_init(mutex) && !pthread_mutexattr_settype(mutex, PTHREAD_MUTEX_RECURSIVE));
    REQUIRE(!pthread_mutexattr_setpshared(mutex, 0) && !pthread_mutexattr_setprotocol(mutex, 0));
    REQUIRE(!pthread_mutexattr_setrobust(mutex, 0));
    GET(pthread_mutexattr_gettype, mutex, int);
    GET(pthread_mutexattr_getpshared, mutex, int);
    GET(pthread_mutexattr_getprotocol, mutex, int);
    GET(pthread_mutexattr_getrobust, mutex, int);
    REQUIRE(!pthread_mutexattr_destroy(mutex));
    pthread_condattr_t *condition = FOR("pthread_condattr_init", pthread_condattr_t);
    REQUIRE(!pthread_condattr_init(condition) && !pthread_condattr_setclock(condition, CLOCK_MONOTONIC));
    REQUIRE(!pthread_condattr_setpshared(condition, 0));
    GET(pthread_condattr_getclock, condition, clockid_t);
    GET(pthread_condattr_getpshared, condition, int);
    REQUIRE(!pthread_condattr_destroy(condition));
    pthread_rwlockattr_t *lock = FOR("pthread_rwlockattr_init", pthread_rwlockattr_t);
    REQUIRE(!pthread_rwlockattr_init(lock) && !pthread_rwlockattr_setkind_np(lock, 0));
    REQUIRE(!pthread_rwlockattr_setpshared(lock, 0));
    GET(pthread_rwlockattr_getkind_np, lock, int);
    GET(pthread_rwlockattr_getpshared, lock, int);
    REQUIRE(!pthread_rwlockattr_destroy(lock));
    pthread_barrierattr_t *barrier = FOR("pthread_barrierattr_init", pthread_barrierattr_t);
    REQUIRE(!pthread_barrierattr_init(barrier) && !pthread_barrierattr_setpshared(barrier, 0));
    GET(pthread_barrierattr_getpshared, barrier, int);
    REQUIRE(!pthread_barrierattr_destroy(barrier));
}

static void programs(void) {
    posix_spawnattr_t *a = FOR("posix_spawnattr_init", posix_spawnattr_t);
    sigset_t signals;
    sigemptyset(&signals);
    REQUIRE(!posix_spawnattr_init(a) && !posix_spawnattr_setflags(a, 0) && !posix_spawnattr_setpgroup(a, 0));
    REQUIRE(!posix_spawnattr_setsigmask(a, &signals) && !posix_spawnattr_setsigdefault(a, &signals));
    GET(posix_spawnattr_getflags, a, short);
    GET(posix_spawnattr_getpgroup, a, pid_t);
    GET(posix_spawnattr_getsigmask, a, sigset_t);
    GET(posix_spawnattr_getsigdefault, a, sigset_t);
    posix_spawn_file_actions_t *actions = FOR("posix_spawn_file_actions_init", posix_spawn_file_actions_t);
    REQUIRE(!posix_spawn_file_actions_init(actions) && !posix_spawn_file_actions_addclose(actions, 0));
    REQUIRE(!posix_spawn_file_actions_addopen(actions, 1, "/dev/null", 0, 0));
    REQUIRE(!posix_spawn_file_actions_adddup2(actions, 1, 2) && !posix_spawn_file_actions_destroy(actions));
    REQUIRE(!posix_spawnattr_destroy(a));
}

static void *run(void *argument) { return argument; }
static int run_thrd(void *argument) { return argument != NULL; }

static void threads(void) {
    pthread_t self = pthread_self(), thread;
    char *name = block("pthread_getname_np", 4);
    REQUIRE(!pthread_setname_np(self, "abc") && !pthread_getname_np(self, name, 16) && !strcmp(name, "abc"));
    int *policy = FOR("pthread_getschedparam", int);
    struct sched_param *parameters = malloc(sizeof *parameters);
    REQUIRE(!pthread_getschedparam(self, policy, parameters) && *policy == SCHED_OTHER);
    REQUIRE(!pthread_setschedparam(self, *policy, parameters));
    cpu_set_t *set = FOR("pthread_getaffinity_np", cpu_set_t);
    REQUIRE(!pthread_getaffinity_np(self, sizeof *set, set) && !pthread_setaffinity_np(self, sizeof *set, set));
    BEGIN("pthread_getcpuclockid", clockid_t, pthread_getcpuclockid(self, it) || !*it);
    BEGIN("pthread_key_create", pthread_key_t, pthread_key_create(it, NULL) || pthread_key_delete(*it));
    BEGIN("pthread_setcancelstate", int, pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, it) || *it);
    BEGIN("pthread_setcanceltype", int, pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, it) || *it);
    REQUIRE(!pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL));
    void **result = FOR("pthread_tryjoin_np", void *);
    REQUIRE(!pthread_create(&thread, NULL, run, result));
    while (pthread_tryjoin_np(thread, result)) sched_yield();
    REQUIRE(*result == result);
    void **later = FOR("pthread_timedjoin_np", void *);
    REQUIRE(!pthread_create(&thread, NULL, run, later) && !pthread_timedjoin_np(thread, later, NULL));
    REQUIRE(*later == later);
    thrd_t c11;
    int *code = FOR("thrd_join", int);
    REQUIRE(thrd_create(&c11, run_thrd, code) == thrd_success && thrd_join(c11, code) == thrd_success && *code == 1);
}

static void clocks(void) {
    time_t zero = 0;
    struct tm parts;
    gmtime_r(&zero, &parts);
    locale_t locale = newlocale(LC_ALL_MASK, "C", NULL);
    char *day = block("strftime_l", 5);
    REQUIRE(strftime_l(day, 64, "%Y", &parts, locale) == 4 && !strcmp(day, "1970"));
    wchar_t *wide = block("wcsftime", 5 * sizeof *wide);
    REQUIRE(wcsftime(wide, 64, L"%Y", &parts) == 4 && !wcscmp(wide, L"1970"));
    BEGIN("timespec_get", struct timespec, timespec_get(it, TIME_UTC) != TIME_UTC || it->tv_sec <= 0);
    BEGIN("clock_getcpuclockid", clockid_t, clock_getcpuclockid(0, it) || !*it);
    char *key = block("strxfrm_l", 4);
    REQUIRE(strxfrm_l(key, "abc", 4, locale) == 3 && !strcmp(key, "abc"));
    wchar_t *wide_key = block("wcsxfrm", 4 * sizeof *wide_key);
    REQUIRE(wcsxfrm(wide_key, L"abc", 4) == 3 && !wcscmp(wide_key, L"abc"));
    REQUIRE(wcswidth(L"abc", 3) == 3 && !strcmp(basename("a/b"), "b"));
    freelocale(locale);
}

static void numbers(void) {
    char *shortest = block("gcvt", 4);
    REQUIRE(!strcmp(gcvt(1.5, 6, shortest), "1.5"));
    int *point = FOR("ecvt_r", int), *sign = FOR("fcvt_r", int), other;
    char *digits = malloc(4), *cut = block("strfromd", 3);
    REQUIRE(!ecvt_r(1.25, 3, point, &other, digits, 64) && !strcmp(digits, "125") && *point == 1);
    REQUIRE(!fcvt_r(1.25, 2, &other, sign, digits, 64) && !strcmp(digits, "125") && !*sign);
    REQUIRE(strfromd(cut, 3, "%.2f", 1.25) == 4 && !strcmp(cut, "1."));
    char *single = block("strfromf", 4), *extended = block("strfroml", 4);
    REQUIRE(strfromf(single, 99, "%.1f", 1.5f) == 3 && strfroml(extended, 99, "%.1f", 1.5L) == 3);
    REQUIRE(!strcmp(single, extended));
}

static void encodings(void) {
    mbstate_t state = {0};
    const char *bytes = "abc";
    const wchar_t *wide = L"abc";
    wchar_t *to_wide = block("mbsnrtowcs", 3 * sizeof *to_wide);
    REQUIRE(mbsnrtowcs(to_wide, &bytes, 3, 99, &state) == 3 && !wmemcmp(to_wide, wide, 3));
    char *to_bytes = block("wcsnrtombs", 4);
    REQUIRE(wcsnrtombs(to_bytes, &wide, 4, 99, &state) == 3 && !strcmp(to_bytes, "abc") && !wide);
    char *from16 = block("c16rtomb", 1), *from32 = block("c32rtomb", 1);
    REQUIRE(c16rtomb(from16, u'x', &state) == 1 && c32rtomb(from32, U'x', &state) == 1 && *from16 == *from32);
    char16_t *to16 = FOR("mbrtoc16", char16_t);
    char32_t *to32 = FOR("mbrtoc32", char32_t);
    REQUIRE(mbrtoc16(to16, "x", 1, &state) == 1 && mbrtoc32(to32, "x", 1, &state) == 1 && *to16 == *to32);
}

static void tables(void) {
    struct hsearch_data table = {0};
    ENTRY **found = FOR("hsearch_r", ENTRY *);
    REQUIRE(hcreate_r(8, &table) && hsearch_r((ENTRY){"key", "value"}, ENTER, found, &table));
    REQUIRE(!strcmp((*found)->data, "value"));
    hdestroy_r(&table);
    char room[1024];
    struct spwd *entry = FOR("getspnam_r", struct spwd), *result;
    (void)!getspnam_r("nobody-of-this-name", entry, room, sizeof room, &result);
    FILE *mounts = setmntent("/proc/self/mounts", "r");
    struct mntent *mount = FOR("getmntent_r", struct mntent);
    REQUIRE(mounts && getmntent_r(mounts, mount, room, sizeof room) && *mount->mnt_dir == '/');
    endmntent(mounts);
}

static void process(void) {
    uid_t *user = FOR("getresuid", uid_t), others[2];
    gid_t *group = FOR("getresgid", gid_t), more[2];
    REQUIRE(!getresuid(&others[0], &others[1], user) && *user == getuid());
    REQUIRE(!getresgid(group, &more[0], &more[1]) && *group == getgid());
    GET(sched_getparam, 0, struct sched_param);
    GET(sched_rr_get_interval, 0, struct timespec);
    void *pages = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char *there = block("mincore", 2);
    REQUIRE(!mincore(pages, 8192, there) && there[0] <= 1 && there[1] <= 1);
    int *master = FOR("openpty", int), slave;
    char name[PATH_MAX];
    if (openpty(master, &slave, name, NULL, NULL) == 0) REQUIRE(*name == '/' && !close(*master) && !close(slave));
}

static void options(void) {
    char *arguments[] = {"program", "--size=3", "--all", "rest", NULL};
    int all = 0, *index = FOR("getopt_long", int);
    struct option table[] = {{"all", no_argument, &all, 7}, {"size", required_argument, NULL, 's'}, {0}};
    REQUIRE(getopt_long(4, arguments, "s:", table, index) == 's' && *index == 1 && !strcmp(optarg, "3"));
    REQUIRE(!getopt_long(4, arguments, "s:", table, NULL) && all == 7);
    REQUIRE(getopt_long(4, arguments, "s:", table, NULL) < 0 && optind == 3);
}

int main(int argc, char **argv) {
    shortened = argc > 1 ? argv[1] : NULL;
    thread_attributes();
    lock_attributes();
    programs();
    threads();
    clocks();
    numbers();
    encodings();
    tables();
    process();
    options();
    return 0;
}
