#include "run.h"
#include "stack.h"
#include "whence_abi.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define WAITING 64 /* the backlog of the socket */

/* ---- the folder ---- */

static int path_in(const struct run *run, const char *name, char *path, size_t size) {
    return snprintf(path, size, "%s/%s", run->folder, name) < (int)size;
}

static int make_folder(struct run *run) {
    const char *base = getenv("TMPDIR");
    if (!base || base[0] != '/') base = "/tmp";
    if (snprintf(run->folder, sizeof run->folder, "%s/whence-run-XXXXXX", base) >=
        (int)sizeof run->folder)
        return 0;
    return mkdtemp(run->folder) != NULL;
}

/* Less than usual where this process may make no file as large; 0 if it is of no use. */
static uint64_t record_size(void) {
    struct rlimit limit;
    int is_limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < WH_RECORD_FILE_SIZE;
    if (!is_limited) return WH_RECORD_FILE_SIZE;
    return limit.rlim_cur < WH_RECORD_LEAST_SIZE ? 0 : limit.rlim_cur;
}

static int make_record(const struct run *run) {
    char path[sizeof run->folder + 16];
    if (!path_in(run, WH_RUN_RECORD, path, sizeof path)) return 0;
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) return 0;
    int made = record_size() && posix_fallocate(file, 0, WH_RECORD_HEADER_SIZE) == 0 &&
               ftruncate(file, (off_t)record_size()) == 0;
    close(file);
    return made;
}

static int make_places(const struct run *run, const struct plan *start) {
    char path[sizeof run->folder + 4096];
    for (size_t i = 0; i < start->count; i++) {
        const struct plan_entry *entry = &start->entries[i];
        if (entry->kind != WH_START_DIRECTORY && entry->kind != WH_START_LINK) continue;
        if (!path_in(run, entry->value, path, sizeof path)) return 0;
        if (entry->kind == WH_START_DIRECTORY ? mkdir(path, 0700) : symlink(entry->more, path))
            return 0;
    }
    return 1;
}

static int listen_in(struct run *run) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!path_in(run, WH_RUN_SERVICE, address.sun_path, sizeof address.sun_path)) return 0;
    run->service = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    return run->service >= 0 &&
           bind(run->service, (struct sockaddr *)&address, sizeof address) == 0 &&
           listen(run->service, WAITING) == 0;
}

static const struct plan_entry *entry_of(const struct plan *start, char kind) {
    for (size_t i = 0; i < start->count; i++)
        if (start->entries[i].kind == kind) return &start->entries[i];
    return NULL;
}

static int remove_one(const char *path, const struct stat *status, int what, struct FTW *at) {
    (void)status, (void)what, (void)at;
    return remove(path) && errno != ENOENT;
}

void run_remove(const struct run *run, const struct plan *start) {
    char path[sizeof run->folder + 16];
    if (!entry_of(start, WH_START_DIRECTORY) && !entry_of(start, WH_START_SERVICE) &&
        path_in(run, WH_RUN_RECORD, path, sizeof path) && unlink(path) == 0 &&
        rmdir(run->folder) == 0)
        return;
    nftw(run->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- locks on the cache's entries ---- */

/* Locks entries against removal, as `whence.toolchain.cache_locks` does: with a shared lock on one
 * byte of the lock file for each entry, until this process ends. */
static int lock_entries(const struct plan *start) {
    const struct plan_entry *locks = entry_of(start, WH_START_LOCKS);
    if (!locks) return 1;
    int file = open(locks->value, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) return errno != ENOENT; /* a cache that cannot be written needs no locks */
    const char *at = locks->more;
    char *next;
    for (; *at; at = next) {
        struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};
        lock.l_start = strtoll(at, &next, 10);
        if (next == at || fcntl(file, F_OFD_SETLK, &lock) != 0) return 0;
    }
    return 1;
}

static void touch_entries(const struct plan *start) {
    static const struct timespec now[] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_OMIT}};
    for (size_t i = 0; i < start->count; i++)
        if (start->entries[i].kind == WH_START_ENTRY)
            utimensat(AT_FDCWD, start->entries[i].value, now, 0);
}

/* ---- the program ---- */

/* A value with the run's folder and the number of this process in place of their signs. */
static char *filled(const char *value, const struct run *run) {
    char number[16];
    snprintf(number, sizeof number, "%d", (int)getpid());
    size_t room = 1;
    for (const char *c = value; *c; c++)
        room += *c == WH_RUN_FOLDER_SIGN ? strlen(run->folder)
                : *c == WH_LAUNCHER_SIGN ? strlen(number)
                                         : 1;
    char *text = malloc(room), *to = text;
    if (!text) return NULL;
    for (const char *c = value; *c; c++) {
        if (*c == WH_RUN_FOLDER_SIGN)
            to = stpcpy(to, run->folder);
        else if (*c == WH_LAUNCHER_SIGN)
            to = stpcpy(to, number);
        else
            *to++ = *c;
    }
    *to = 0;
    return text;
}

static int set_variables(const struct plan *start, const struct run *run) {
    for (size_t i = 0; i < start->count; i++) {
        char *text;
        if (start->entries[i].kind == WH_START_SETTING &&
            (!(text = filled(start->entries[i].value, run)) || putenv(text) != 0))
            return 0;
    }
    return 1;
}

static const int relayed[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGQUIT, SIGALRM, SIGINT};
#define RELAYED (sizeof relayed / sizeof *relayed)

static sigset_t before; /* the signals that were blocked when this process started */

/* Blocks the relayed signals and SIGCHLD; a descriptor to read them from, or -1. */
static int block_signals(void) {
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGCHLD);
    for (size_t i = 0; i < RELAYED; i++) sigaddset(&ours, relayed[i]);
    if (sigprocmask(SIG_BLOCK, &ours, &before) != 0) return -1;
    return signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
}

static size_t count_of(char **words) {
    size_t count = 0;
    while (words[count]) count++;
    return count;
}

/* The command line: the program's, behind the words of one that executes it. NULL: no memory. */
static char **command(const struct plan *start, const struct run *run, char **words) {
    char **all = malloc((start->count + count_of(words) + 1) * sizeof *all), **to = all;
    for (size_t i = 0; all && i < start->count; i++)
        if (start->entries[i].kind == WH_START_BEFORE &&
            !(*to++ = filled(start->entries[i].value, run)))
            return NULL;
    if (all) memcpy(to, words, (count_of(words) + 1) * sizeof *words);
    return all;
}

/* 0 if the program could not be executed: then the child writes to the pipe `failure`. */
static int begin(struct run *run, const struct plan *start, char **words) {
    const struct plan_entry *image = entry_of(start, WH_START_IMAGE);
    int failure[2], failed = 0;
    if (!image || pipe2(failure, O_CLOEXEC) != 0) return 0;
    run->child = fork();
    if (run->child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        stack_restore();
        if (personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE) >= 0 &&
            set_variables(start, run)) {
            const struct plan_entry *before = entry_of(start, WH_START_BEFORE);
            char **all = command(start, run, words);
            if (all) execve(before ? all[0] : image->value, all, environ);
        }
        failed = 1;
        if (write(failure[1], &failed, sizeof failed) < 0) _exit(126);
        _exit(127);
    }
    close(failure[1]);
    if (run->child > 0 && read(failure[0], &failed, sizeof failed) > 0) {
        waitpid(run->child, NULL, 0);
        run->child = -1;
    }
    close(failure[0]);
    return run->child > 0;
}

/* ---- waiting ---- */

/* Whether the terminal sends its signals to this process group, which the program is in, too. */
static int in_foreground(void) {
    int terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (terminal < 0) return 0;
    int is = tcgetpgrp(terminal) == getpgrp();
    close(terminal);
    return is;
}

static void relay(int signals, const struct run *run) {
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof info) == sizeof info) {
        int number = (int)info.ssi_signo;
        if (number == SIGCHLD || (number == SIGINT && in_foreground())) continue;
        kill(run->child, number);
    }
}

/* Waits until the program has ended (1) or sends a request (0). */
static int await(struct run *run, int signals) {
    for (;;) {
        struct pollfd sources[] = {{signals, POLLIN, 0}, {run->service, POLLIN, 0}};
        if (waitpid(run->child, &run->status, WNOHANG) == run->child) {
            run->child = 0;
            return 1;
        }
        if (poll(sources, 2, -1) < 0 && errno != EINTR) return 0;
        if (sources[0].revents) relay(signals, run);
        if (sources[1].revents) return 0;
    }
}

/* ---- reading the record ---- */

/* Whether a process still maps the record, for all that the kernel says. It grants a lease for
 * reading only where nobody can write; as a process that opens the file meanwhile makes it send a
 * signal, that is one without effect. */
static int is_mapped(int file) {
    if (fcntl(file, F_SETSIG, SIGURG) != 0 || fcntl(file, F_SETLEASE, F_RDLCK) != 0)
        return errno == EAGAIN;
    fcntl(file, F_SETLEASE, F_UNLCK);
    return 0;
}

/* Whether no process of the program is left; Python waits for processes that are. One that ended
 * while it was looked at may have left another. */
static int is_alone(const char *record, int self) {
    const volatile uint32_t *counts = (const volatile uint32_t *)(record + WH_PROCESSES_OFFSET);
    uint32_t count = counts[2];
    if (counts[0] != counts[1] || count > WH_PROCESSES_MOST) return 0;
    for (uint32_t i = 0; i < count; i++) {
        int number = (int)counts[3 + i];
        if (number != self && (kill(number, 0) == 0 || errno != ESRCH)) return 0;
    }
    return counts[0] == counts[1] && counts[2] == count;
}

/* Records of these types only supplement findings. */
static int is_supplement(uint32_t type) {
    return type == WH_RECORD_MAPS || type == WH_RECORD_PROCESS || type == WH_RECORD_LEAKS;
}

static int is_clean(const char *record, uint64_t size) {
    const struct wh_record_header *header = (const struct wh_record_header *)record;
    uint64_t at = WH_RECORD_HEADER_SIZE;
    if (header->magic != WH_RECORD_MAGIC || header->version != WH_RECORD_VERSION || !header->pid ||
        header->dropped || header->findings || header->used > size)
        return 0;
    while (at < header->used) {
        const uint32_t *prefix = (const uint32_t *)(record + at);
        if (!is_supplement(prefix[0]) || prefix[1] < 8 || prefix[1] % 8 ||
            prefix[1] > header->used - at)
            return 0;
        at += prefix[1];
    }
    return 1;
}

static int nothing_to_report(const struct run *run, int child) {
    char path[sizeof run->folder + 16];
    if (!path_in(run, WH_RUN_RECORD, path, sizeof path)) return 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    struct stat status;
    void *record = MAP_FAILED;
    size_t size = fstat(file, &status) == 0 ? (size_t)status.st_size : 0;
    if (size >= WH_RECORD_HEADER_SIZE) record = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    if (record == MAP_FAILED) {
        close(file);
        return 0;
    }
    int clean = is_alone(record, child) && !is_mapped(file) && is_clean(record, size);
    close(file);
    munmap(record, size);
    return clean;
}

/* Whether a program that executes the user's has written nothing for Python to read. */
static int is_silent(const struct run *run, const struct plan *start) {
    const struct plan_entry *log = entry_of(start, WH_START_SILENT);
    char path[sizeof run->folder + 256];
    struct stat status;
    return !log || !path_in(run, log->value, path, sizeof path) || stat(path, &status) != 0 ||
           status.st_size == 0;
}

/* ---- its time ---- */

/* Whether the program took longer than its code was made for, which Python notes. */
static int took_long(const struct plan *start) {
    const struct plan_entry *limit = entry_of(start, WH_START_LIMIT);
    struct rusage used;
    if (!limit || getrusage(RUSAGE_CHILDREN, &used) != 0) return 0;
    int64_t seconds = used.ru_utime.tv_sec + used.ru_stime.tv_sec;
    int64_t rest = used.ru_utime.tv_usec + used.ru_stime.tv_usec;
    return seconds * 1000 + rest / 1000 >= strtoll(limit->value, NULL, 10);
}

/* ---- the last line of a clean run ---- */

/* Decides as `whence.report.text` does for standard error. */
static int is_coloured(void) {
    const char *none = getenv("NO_COLOR"), *kind = getenv("TERM"), *forced = getenv("FORCE_COLOR");
    if ((none && *none) || !(forced ? *forced : isatty(2))) return 0;
    return !kind || (strcasecmp(kind, "dumb") != 0 && strcasecmp(kind, "unknown") != 0);
}

static void say(const struct plan_entry *notes, int status) {
    static char buffer[4096];
    setvbuf(stderr, buffer, _IOFBF, sizeof buffer);
    for (const char *c = notes->value; *c; c++)
        if (*c == WH_STATUS_SIGN)
            fprintf(stderr, "%d", status);
        else
            fputc(*c, stderr);
    fflush(stderr);
}

static long long place_of_input(void) {
    struct stat status;
    return fstat(0, &status) == 0 && S_ISREG(status.st_mode) ? lseek(0, 0, SEEK_CUR) : -1;
}

enum run_outcome run_follow(struct run *run, const struct plan *start, char **words) {
    const struct plan_entry *notes =
        entry_of(start, is_coloured() ? WH_START_HIGHLIGHTED : WH_START_NOTE);
    run->service = -1;
    run->input = place_of_input();
    if (!lock_entries(start) || !make_folder(run)) return RUN_NOT_STARTED;
    int signals = block_signals();
    if (signals < 0 || !make_record(run) || !make_places(run, start) ||
        (entry_of(start, WH_START_SERVICE) && !listen_in(run)) || !begin(run, start, words)) {
        run_remove(run, start);
        sigprocmask(SIG_SETMASK, &before, NULL);
        return RUN_NOT_STARTED;
    }
    touch_entries(start);
    int child = run->child;
    if (!await(run, signals) || !nothing_to_report(run, child) || !is_silent(run, start) ||
        took_long(start) || (notes && !WIFEXITED(run->status)))
        return RUN_UNFINISHED;
    if (notes) say(notes, WEXITSTATUS(run->status));
    return RUN_CLEAN;
}
