/* What is left behind after a path of one process is the same that a child leaves behind: what it
 * has done to files and other processes. */
#include "undo.h"
#include "files.h"
#include "left.h"
#include "processor.h"
#include "snapshot.h"
#include "standing.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../process/catching.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

#define FILES_MOST 512
#define MAPPED_MOST 64u
#define SIGNALS 65u
/* The process's own descriptors have numbers from here on. */
#define KEPT_FIRST 600
#define STANDARD 3

struct area {
    uintptr_t begin, end;
};

struct areas {
    struct area areas[MAPPED_MOST];
    uint32_t count;
};

/* mapped: by the path. opened: was closed memory before the path. is_lost: what a call has done is
 * not known in full. */
struct undo {
    struct areas mapped, opened;
    struct catching_action actions[SIGNALS];
    uint64_t changed; /* a bit for each signal */
    uint8_t files[FILES_MOST];
    int file_count;
    int closed[STANDARD], kept[STANDARD];
    int kept_end, directory; /* the working directory */
    int has_moved, has_mask, is_lost;
    long mask; /* of the permissions of new files */
};

_Static_assert(STANDING_UNDO + sizeof(struct undo) <= STANDING_SNAPSHOT, "room for tables");

static struct undo *own(void) { return STANDING(STANDING_UNDO); }

/* ---- memory ---- */

static int is_in(const struct areas *areas, uintptr_t begin, uint64_t size) {
    for (uint32_t i = 0; i < areas->count; i++)
        if (begin >= areas->areas[i].begin && begin + size <= areas->areas[i].end) return 1;
    return 0;
}

static void add(struct areas *areas, uintptr_t begin, uint64_t size) {
    areas->areas[areas->count++] = (struct area){begin, begin + wh_round_up(size, OS_PAGE)};
}

static int has_room(const struct areas *areas) { return areas->count < MAPPED_MOST; }

static int map(const uint64_t *words, long *result) {
    struct areas *mapped = &own()->mapped;
    if ((words[3] & (MAP_FIXED | MAP_GROWSDOWN)) || !has_room(mapped)) return 0;
    *result = os_call_words(SYS_mmap, words);
    if (!os_failed(*result)) add(mapped, (uintptr_t)*result, words[1]);
    return 1;
}

static int unmap(const uint64_t *words, long *result) {
    struct areas *mapped = &own()->mapped;
    if (!is_in(mapped, words[0], words[1])) return 0;
    *result = os_call_words(SYS_munmap, words);
    for (uint32_t i = 0; i < mapped->count; i++)
        if (mapped->areas[i].begin == words[0] &&
            mapped->areas[i].end == words[0] + wh_round_up(words[1], OS_PAGE)) {
            mapped->areas[i] = mapped->areas[--mapped->count];
            break;
        }
    return 1;
}

static int protect(const uint64_t *words, long *result) {
    struct undo *undo = own();
    if (!is_in(&undo->mapped, words[0], words[1]) && !is_in(&undo->opened, words[0], words[1])) {
        if (!snapshot_was_closed(words[0], words[1]) || !has_room(&undo->opened)) return 0;
        add(&undo->opened, words[0], words[1]);
    }
    *result = os_call_words(SYS_mprotect, words);
    return 1;
}

static int advise(const uint64_t *words, long *result) {
    struct undo *undo = own();
    int is_new =
        is_in(&undo->mapped, words[0], words[1]) || is_in(&undo->opened, words[0], words[1]);
    if (!is_new && (words[2] != MADV_DONTNEED || !snapshot_open_range(words[0], words[1])))
        return 0;
    *result = os_call_words(SYS_madvise, words);
    return 1;
}

int undo_has_mapped(int (*known)(uintptr_t begin, uintptr_t end)) {
    const struct undo *undo = own();
    if (undo->mapped.count) return 1;
    for (uint32_t i = 0; i < undo->opened.count; i++)
        if (!known(undo->opened.areas[i].begin, undo->opened.areas[i].end)) return 1;
    return 0;
}

static void undo_memory(struct undo *undo) {
    for (uint32_t i = 0; i < undo->mapped.count; i++) {
        const struct area *area = &undo->mapped.areas[i];
        os_unmap(area->begin, area->end - area->begin);
    }
    for (uint32_t i = 0; i < undo->opened.count; i++) {
        const struct area *area = &undo->opened.areas[i];
        os_discard(area->begin, area->end - area->begin);
        os_protect(area->begin, area->end - area->begin, OS_NONE);
    }
    undo->mapped.count = undo->opened.count = 0;
}

/* ---- descriptors ---- */

static int is_kept(uint64_t file) { return file >= KEPT_FIRST && (int)file < own()->kept_end; }

static int is_own(uint64_t file) { return file < FILES_MOST && own()->files[file]; }

static void note_file(long file) {
    struct undo *undo = own();
    if (file < 0) return;
    if (file >= FILES_MOST) {
        undo->is_lost = 1;
        return;
    }
    undo->file_count += !undo->files[file];
    undo->files[file] = 1;
}

/* A call that gives a new descriptor. */
static int open_file(long number, const uint64_t *words, long *result) {
    note_file(*result = os_call_words(number, words));
    return 1;
}

static int open_named(long number, const uint64_t *words, long *result) {
    open_file(number, words, result);
    if (*result >= 0) left_open((int)*result);
    return 1;
}

static int open_pair(long number, const uint64_t *words, long *result) {
    if (!snapshot_open_range(words[0], 2 * sizeof(int))) return 0;
    *result = os_call_words(number, words);
    const int *pair = (const int *)(uintptr_t)words[0];
    if (!*result) note_file(pair[0]), note_file(pair[1]);
    return 1;
}

static int close_file(const uint64_t *words, long *result) {
    struct undo *undo = own();
    uint64_t file = words[0];
    if (is_kept(file) || !os_is_open((int)file)) {
        *result = -EBADF;
        return 1;
    }
    if (is_own(file))
        undo->files[file] = 0, undo->file_count--;
    else if (file < STANDARD)
        undo->closed[file] = 1;
    else
        return 0;
    *result = os_call_words(SYS_close, words);
    return 1;
}

static int control_file(const uint64_t *words, long *result) {
    switch (words[1]) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
        if (words[2] >= FILES_MOST || is_kept(words[0])) return 0;
        return open_file(SYS_fcntl, words, result);
    case F_GETFD:
    case F_GETFL: *result = is_kept(words[0]) ? -EBADF : os_call_words(SYS_fcntl, words); return 1;
    case F_SETFD:
    case F_SETFL:
        if (!is_own(words[0])) return 0;
        *result = os_call_words(SYS_fcntl, words);
        return 1;
    default: return 0;
    }
}

static int move(long number, const uint64_t *words, long *result) {
    if (own()->directory < 0) return 0;
    *result = os_call_words(number, words);
    own()->has_moved |= *result == 0;
    return 1;
}

static int set_permissions(const uint64_t *words, long *result) {
    struct undo *undo = own();
    *result = os_call_words(SYS_umask, words);
    if (!undo->has_mask) undo->mask = *result;
    undo->has_mask = 1;
    return 1;
}

static void undo_places(struct undo *undo) {
    if (undo->has_moved) os_call(SYS_fchdir, undo->directory, 0, 0, 0, 0, 0);
    if (undo->has_mask) os_call(SYS_umask, undo->mask, 0, 0, 0, 0, 0);
    undo->has_moved = undo->has_mask = 0;
}

static void undo_files(struct undo *undo) {
    for (int file = 0; undo->file_count && file < FILES_MOST; file++) {
        if (!undo->files[file]) continue;
        os_close(file);
        undo->files[file] = 0;
        undo->file_count--;
    }
    for (int file = 0; file < STANDARD; file++) {
        if (undo->closed[file]) os_call(SYS_dup2, undo->kept[file], file, 0, 0, 0, 0);
        undo->closed[file] = 0;
    }
}

int undo_keep(int file) {
    int kept = (int)os_call(SYS_fcntl, file, F_DUPFD_CLOEXEC, KEPT_FIRST, 0, 0, 0);
    if (kept >= own()->kept_end) own()->kept_end = kept + 1;
    return kept < 0 ? -1 : kept;
}

void undo_forget(void) {
    for (int file = KEPT_FIRST; file < own()->kept_end; file++) os_close(file);
    own()->kept_end = 0;
}

int undo_prepare(void) {
    struct undo *undo = own();
    wh_fill(undo, 0, sizeof *undo);
    for (int file = 0; file < STANDARD; file++) {
        undo->kept[file] = undo_keep(file);
        if (undo->kept[file] < 0) return 0;
    }
    int directory = os_open(".", OS_OPEN_DIRECTORY);
    undo->directory = directory < 0 ? -1 : undo_keep(directory);
    if (directory >= 0) os_close(directory);
    return 1;
}

/* ---- signals ---- */

static int set_action(const uint64_t *words, long *result) {
    struct undo *undo = own();
    struct catching_action before;
    uint64_t number = words[0];
    if (number >= SIGNALS || number == SIGSEGV || number == SIGSYS ||
        (words[2] && !snapshot_open_range(words[2], sizeof before)))
        return 0;
    int is_first = words[1] && !(undo->changed & SIGNAL_BIT(number));
    if (is_first && catching_set((int)number, NULL, &before) == 0) {
        undo->changed |= SIGNAL_BIT(number);
        undo->actions[number] = before;
    }
    *result = os_call_words(SYS_rt_sigaction, words);
    return 1;
}

static void undo_signals(struct undo *undo) {
    for (; undo->changed; undo->changed &= undo->changed - 1) {
        int number = __builtin_ctzll(undo->changed) + 1;
        catching_set(number, &undo->actions[number], NULL);
    }
}

#define CAUGHT (SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGSYS))

/* The signals of the snapshot stay open. The mask is the path's again when the handler returns. */
static int set_mask(const uint64_t *words, uint64_t *mask, long *result) {
    uint64_t changed[6], set;
    wh_copy(changed, words, sizeof changed);
    if (words[2] && !snapshot_open_range(words[2], sizeof set)) return 0;
    int valid = words[0] == SIG_BLOCK || words[0] == SIG_UNBLOCK || words[0] == SIG_SETMASK;
    if (valid && words[1] && os_readable(words[1])) {
        set = *(const wh_word *)(uintptr_t)words[1];
        if (words[0] != SIG_UNBLOCK) set &= ~CAUGHT;
        changed[1] = (uint64_t)(uintptr_t)&set;
    }
    *result = os_call_words(SYS_rt_sigprocmask, changed);
    uint64_t ask[6] = {SIG_BLOCK, 0, (uint64_t)(uintptr_t)mask, sizeof *mask, 0, 0};
    os_call_words(SYS_rt_sigprocmask, ask);
    return 1;
}

/* ---- all calls ---- */

/* Calls that only store something at one place. place: the argument. size: in bytes, or where that
 * is 0, the argument `by` in units of 1 << shift. only_if_null: an argument that must be 0, or -1.
 */
struct storing {
    uint16_t number;
    uint8_t place, by, shift;
    int8_t only_if_null;
    uint16_t size;
};
#define FIXED(call, place, type) {SYS_##call, place, 0, 0, -1, sizeof(type)}
#define SIZED(call, place, by) {SYS_##call, place, by, 0, -1, 0}

static const struct storing storing[] = {
    SIZED(read, 1, 2),
    SIZED(pread64, 1, 2),
    FIXED(fstat, 1, struct stat),
    FIXED(stat, 1, struct stat),
    FIXED(lstat, 1, struct stat),
    FIXED(newfstatat, 2, struct stat),
    FIXED(statx, 4, struct statx),
    SIZED(getdents64, 1, 2),
    SIZED(getcwd, 0, 1),
    SIZED(readlink, 1, 2),
    SIZED(readlinkat, 2, 3),
    SIZED(getrandom, 0, 1),
    FIXED(clock_gettime, 1, struct timespec),
    FIXED(clock_getres, 1, struct timespec),
    FIXED(gettimeofday, 0, struct timeval),
    FIXED(time, 0, time_t),
    FIXED(nanosleep, 1, struct timespec),
    FIXED(uname, 0, struct utsname),
    FIXED(sysinfo, 0, struct sysinfo),
    FIXED(getrusage, 1, struct rusage),
    FIXED(times, 0, struct tms),
    FIXED(getrlimit, 1, struct rlimit),
    FIXED(getitimer, 1, struct itimerval),
    SIZED(sched_getaffinity, 2, 1),
    {SYS_prlimit64, 3, 0, 0, 2, sizeof(struct rlimit)},
    {SYS_mincore, 2, 1, OS_PAGE_SHIFT, -1, 0},
};

/* Calls that store nothing, and change nothing but files and what other processes see. */
static int stores_nothing(long number) {
    switch (number) {
    case SYS_getpid:
    case SYS_gettid:
    case SYS_getppid:
    case SYS_getpgrp:
    case SYS_getpgid:
    case SYS_getsid:
    case SYS_getuid:
    case SYS_geteuid:
    case SYS_getgid:
    case SYS_getegid:
    case SYS_sched_yield:
    case SYS_write:
    case SYS_pwrite64:
    case SYS_writev:
    case SYS_connect:
    case SYS_sendto:
    case SYS_shutdown:
    case SYS_setsockopt:
    case SYS_lseek:
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_fadvise64:
    case SYS_ftruncate:
    case SYS_truncate:
    case SYS_access:
    case SYS_faccessat:
    case SYS_unlink:
    case SYS_unlinkat:
    case SYS_rename:
    case SYS_renameat:
    case SYS_mkdir:
    case SYS_rmdir:
    case SYS_chmod:
    case SYS_fchmod: return 1;
    default: return 0;
    }
}

static uint64_t position(int file) {
    return (uint64_t)os_call(SYS_lseek, file, 0, SEEK_CUR, 0, 0, 0);
}

static int store(const struct storing *call, const uint64_t *words, long *result) {
    uint64_t size =
        call->size ? call->size : (words[call->by] + (1ull << call->shift) - 1) >> call->shift;
    if (call->only_if_null >= 0 && words[call->only_if_null]) return 0;
    if (words[call->place] && !snapshot_open_range(words[call->place], size)) return 0;
    *result = os_call_words(call->number, words);
    if (*result > 0 && call->number == SYS_pread64)
        files_unseen((int)words[0], words[3], (uint64_t)*result);
    if (*result > 0 && call->number == SYS_read)
        files_unseen((int)words[0], position((int)words[0]) - (uint64_t)*result, (uint64_t)*result);
    return 1;
}

static int read_parts(long number, const uint64_t *words, long *result) {
    const struct iovec *parts = (const struct iovec *)(uintptr_t)words[1];
    uint64_t count = words[2];
    if (count > 16 || !os_readable(words[1]) || !os_readable(words[1] + count * sizeof *parts - 8))
        return 0;
    for (uint64_t i = 0; i < count; i++)
        if (!snapshot_open_range((uintptr_t)parts[i].iov_base, parts[i].iov_len)) return 0;
    *result = os_call_words(number, words);
    if (*result > 0 && number == SYS_preadv)
        files_unseen((int)words[0], words[3], (uint64_t)*result);
    if (*result > 0 && number == SYS_readv)
        files_unseen((int)words[0], position((int)words[0]) - (uint64_t)*result, (uint64_t)*result);
    return 1;
}

static int control_device(const uint64_t *words, long *result) {
    static const struct {
        unsigned request;
        unsigned size;
    } known[] = {{TCGETS, 64}, {TIOCGWINSZ, sizeof(struct winsize)}, {FIONREAD, sizeof(int)}};
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].request != (unsigned)words[1]) continue;
        if (!snapshot_open_range(words[2], known[i].size)) return 0;
        *result = os_call_words(SYS_ioctl, words);
        return 1;
    }
    return 0;
}

static int call_once(long number, const uint64_t *words, long *result) {
    *result = os_call_words(number, words);
    return 1;
}

int undo_call(long number, const uint64_t *words, uint64_t *mask, long *result) {
    if (number == SYS_sched_getaffinity) processor_free_for_good();
    if (stores_nothing(number)) return call_once(number, words, result);
    for (unsigned i = 0; i < sizeof storing / sizeof *storing; i++)
        if (storing[i].number == number) return store(&storing[i], words, result);
    switch (number) {
    case SYS_readv:
    case SYS_preadv:
    case SYS_process_vm_readv: return read_parts(number, words, result);
    case SYS_mmap: return map(words, result);
    case SYS_munmap: return unmap(words, result);
    case SYS_mprotect: return protect(words, result);
    case SYS_madvise: return advise(words, result);
    case SYS_brk: return words[0] ? 0 : call_once(number, words, result);
    case SYS_open:
    case SYS_openat:
    case SYS_creat: return open_named(number, words, result);
    case SYS_dup:
    case SYS_socket:
    case SYS_memfd_create:
    case SYS_epoll_create1:
    case SYS_eventfd2: return open_file(number, words, result);
    case SYS_pipe:
    case SYS_pipe2: return open_pair(number, words, result);
    case SYS_close: return close_file(words, result);
    case SYS_fcntl: return control_file(words, result);
    case SYS_ioctl: return control_device(words, result);
    case SYS_chdir:
    case SYS_fchdir: return move(number, words, result);
    case SYS_umask: return set_permissions(words, result);
    case SYS_kill:
        return words[1] ? 0 : call_once(number, words, result); /* whether one is there */
    case SYS_tgkill: return words[2] ? 0 : call_once(number, words, result);
    case SYS_waitid: /* whether there are children */
        return !words[2] && words[3] & WNOWAIT && !words[4] ? call_once(number, words, result) : 0;
    case SYS_rt_sigaction: return set_action(words, result);
    case SYS_rt_sigprocmask: return set_mask(words, mask, result);
    case SYS_futex:
        return (words[1] & FUTEX_CMD_MASK) == FUTEX_WAKE ? call_once(number, words, result) : 0;
    default: return 0;
    }
}

int undo_all(void) {
    struct undo *undo = own();
    if (undo->is_lost) return 0;
    undo_memory(undo);
    undo_files(undo);
    undo_places(undo);
    undo_signals(undo);
    return 1;
}
