/* syscall: the arguments of calls that are made by number. */
#include <stdarg.h>
#include "kernel.h"
#include "../../leak/kernel.h"
#include "../../os/mem.h"
#include "../../process/confine.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sem.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <utime.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* ---- what the arguments are ---- */

enum kind {
    NOTHING,
    CONFINES, /* what the program forbids itself */
    TEXT_AT,  /* a path or another name */
    READS,    /* a structure of `size` bytes */
    STORES,   /* the same */
    ITEMS,    /* structures of `size` bytes; the next argument is their number */
    ARRIVING, /* the same; the result is how many are stored */
    TAKES,    /* a buffer; argument `size` is its size */
    FILLS,    /* the same; the result is how much is stored */
    GATHERS,  /* a table of parts; argument `size` is their number */
    SCATTERS, /* the same */
    ANSWERS,  /* a buffer; the next argument leads to its size */
    AMENDS,   /* the same; the kernel may read it first */
    FILES,    /* a set of files; the first argument is their number */
    SIGNALS,  /* a pointer to a set of signals, and its size */
    VECTOR,   /* texts up to NULL */
    SENDS,    /* a message */
    RECEIVES, /* the same */
    SEVERAL_SENT,
    SEVERAL_RECEIVED, /* messages; the next argument is their number */
    CONTROL,          /* as the second argument says: ioctl */
    COMMAND,          /* the same: fcntl */
    EVENT,            /* the same: epoll_ctl */
    WORD,             /* the same: futex */
};

struct argument {
    uint8_t kind, index;
    uint16_t size;
};

#define ARGUMENTS 6

struct call {
    struct argument arguments[ARGUMENTS];
};

#define CALLS 512

#define PATH(index) {TEXT_AT, index, 0}
#define IN(index, type) {READS, index, sizeof(type)}
#define OUT(index, type) {STORES, index, sizeof(type)}
#define MASK(index) {READS, index, SET_SIZE}
#define FROM(index) {TAKES, index, (index) + 1}
#define TO(index) {FILLS, index, (index) + 1}

#define ACTION 32 /* the kernel's struct sigaction */
#define FILE_SETS {FILES, 1, 0}, {FILES, 2, 0}, {FILES, 3, 0}

/* By number; what is not here goes to the kernel unseen. */
HIDDEN extern const struct call whence_raw_calls[CALLS];
const struct call whence_raw_calls[CALLS] = {
    [SYS_read] = {{TO(1)}},
    [SYS_pread64] = {{TO(1)}},
    [SYS_write] = {{FROM(1)}},
    [SYS_pwrite64] = {{FROM(1)}},
    [SYS_readv] = {{{SCATTERS, 1, 2}}},
    [SYS_preadv] = {{{SCATTERS, 1, 2}}},
    [SYS_preadv2] = {{{SCATTERS, 1, 2}}},
    [SYS_writev] = {{{GATHERS, 1, 2}}},
    [SYS_pwritev] = {{{GATHERS, 1, 2}}},
    [SYS_pwritev2] = {{{GATHERS, 1, 2}}},
    [SYS_vmsplice] = {{{GATHERS, 1, 2}}},
    [SYS_sendfile] = {{OUT(2, off_t)}},
    [SYS_splice] = {{OUT(1, off_t), OUT(3, off_t)}},
    [SYS_copy_file_range] = {{OUT(1, off_t), OUT(3, off_t)}},
    [SYS_recvfrom] = {{TO(1), {ANSWERS, 4, 0}}},
    [SYS_sendto] = {{FROM(1), {TAKES, 4, 5}}},
    [SYS_bind] = {{FROM(1)}},
    [SYS_connect] = {{FROM(1)}},
    [SYS_setsockopt] = {{{TAKES, 3, 4}}},
    [SYS_getsockopt] = {{{AMENDS, 3, 0}}},
    [SYS_getsockname] = {{{ANSWERS, 1, 0}}},
    [SYS_getpeername] = {{{ANSWERS, 1, 0}}},
    [SYS_accept] = {{{ANSWERS, 1, 0}}},
    [SYS_accept4] = {{{ANSWERS, 1, 0}}},
    [SYS_sendmsg] = {{{SENDS, 1, 0}}},
    [SYS_recvmsg] = {{{RECEIVES, 1, 0}}},
    [SYS_sendmmsg] = {{{SEVERAL_SENT, 1, 0}}},
    [SYS_recvmmsg] = {{{SEVERAL_RECEIVED, 1, 0}, OUT(4, struct timespec)}},
    [SYS_process_vm_readv] = {{{SCATTERS, 1, 2}}},
    [SYS_process_vm_writev] = {{{GATHERS, 1, 2}}},
    [SYS_mq_open] = {{PATH(0)}},
    [SYS_mq_unlink] = {{PATH(0)}},
    [SYS_mq_timedsend] = {{FROM(1), IN(4, struct timespec)}},
    [SYS_mq_timedreceive] = {{TO(1), OUT(3, unsigned), IN(4, struct timespec)}},
    [SYS_semop] = {{{ITEMS, 1, sizeof(struct sembuf)}}},
    [SYS_getdents] = {{TO(1)}},
    [SYS_getdents64] = {{TO(1)}},
    [SYS_getcwd] = {{TO(0)}},
    [SYS_readlink] = {{PATH(0), TO(1)}},
    [SYS_readlinkat] = {{PATH(1), TO(2)}},
    [SYS_getrandom] = {{TO(0)}},
    [SYS_open] = {{PATH(0)}},
    [SYS_openat] = {{PATH(1)}},
    [SYS_openat2] = {{PATH(1), FROM(2)}},
    [SYS_creat] = {{PATH(0)}},
    [SYS_access] = {{PATH(0)}},
    [SYS_faccessat] = {{PATH(1)}},
    [SYS_faccessat2] = {{PATH(1)}},
    [SYS_mkdir] = {{PATH(0)}},
    [SYS_mkdirat] = {{PATH(1)}},
    [SYS_rmdir] = {{PATH(0)}},
    [SYS_unlink] = {{PATH(0)}},
    [SYS_unlinkat] = {{PATH(1)}},
    [SYS_rename] = {{PATH(0), PATH(1)}},
    [SYS_renameat] = {{PATH(1), PATH(3)}},
    [SYS_renameat2] = {{PATH(1), PATH(3)}},
    [SYS_link] = {{PATH(0), PATH(1)}},
    [SYS_symlink] = {{PATH(0), PATH(1)}},
    [SYS_chdir] = {{PATH(0)}},
    [SYS_chroot] = {{PATH(0)}},
    [SYS_mount] = {{PATH(0), PATH(1), PATH(2)}},
    [SYS_umount2] = {{PATH(0)}},
    [SYS_chmod] = {{PATH(0)}},
    [SYS_truncate] = {{PATH(0)}},
    [SYS_linkat] = {{PATH(1), PATH(3)}},
    [SYS_symlinkat] = {{PATH(0), PATH(2)}},
    [SYS_chown] = {{PATH(0)}},
    [SYS_lchown] = {{PATH(0)}},
    [SYS_fchownat] = {{PATH(1)}},
    [SYS_fchmodat] = {{PATH(1)}},
    [SYS_mknod] = {{PATH(0)}},
    [SYS_mknodat] = {{PATH(1)}},
    [SYS_utime] = {{PATH(0), IN(1, struct utimbuf)}},
    [SYS_utimes] = {{PATH(0), IN(1, struct timeval[2])}},
    [SYS_futimesat] = {{PATH(1), IN(2, struct timeval[2])}},
    [SYS_utimensat] = {{PATH(1), IN(2, struct timespec[2])}},
    [SYS_inotify_add_watch] = {{PATH(1)}},
    [SYS_getxattr] = {{PATH(0), PATH(1), TO(2)}},
    [SYS_lgetxattr] = {{PATH(0), PATH(1), TO(2)}},
    [SYS_fgetxattr] = {{PATH(1), TO(2)}},
    [SYS_setxattr] = {{PATH(0), PATH(1), FROM(2)}},
    [SYS_lsetxattr] = {{PATH(0), PATH(1), FROM(2)}},
    [SYS_fsetxattr] = {{PATH(1), FROM(2)}},
    [SYS_listxattr] = {{PATH(0), TO(1)}},
    [SYS_llistxattr] = {{PATH(0), TO(1)}},
    [SYS_flistxattr] = {{TO(1)}},
    [SYS_removexattr] = {{PATH(0), PATH(1)}},
    [SYS_lremovexattr] = {{PATH(0), PATH(1)}},
    [SYS_fremovexattr] = {{PATH(1)}},
    [SYS_memfd_create] = {{PATH(0)}},
    [SYS_stat] = {{PATH(0), OUT(1, struct stat)}},
    [SYS_lstat] = {{PATH(0), OUT(1, struct stat)}},
    [SYS_fstat] = {{OUT(1, struct stat)}},
    [SYS_newfstatat] = {{PATH(1), OUT(2, struct stat)}},
    [SYS_statx] = {{PATH(1), OUT(4, struct statx)}},
    [SYS_statfs] = {{PATH(0), OUT(1, struct statfs)}},
    [SYS_fstatfs] = {{OUT(1, struct statfs)}},
    [SYS_pipe] = {{OUT(0, int[2])}},
    [SYS_pipe2] = {{OUT(0, int[2])}},
    [SYS_socketpair] = {{OUT(3, int[2])}},
    [SYS_epoll_ctl] = {{{EVENT, 3, 0}}},
    [SYS_epoll_wait] = {{{ARRIVING, 1, sizeof(struct epoll_event)}}},
    [SYS_epoll_pwait] = {{{ARRIVING, 1, sizeof(struct epoll_event)}, MASK(4)}},
    [SYS_epoll_pwait2] = {{{ARRIVING, 1, sizeof(struct epoll_event)},
                           IN(3, struct timespec),
                           MASK(4)}},
    [SYS_poll] = {{{ITEMS, 0, sizeof(struct pollfd)}}},
    [SYS_ppoll] = {{{ITEMS, 0, sizeof(struct pollfd)}, OUT(2, struct timespec), MASK(3)}},
    [SYS_select] = {{FILE_SETS, OUT(4, struct timeval)}},
    [SYS_pselect6] = {{FILE_SETS, OUT(4, struct timespec), {SIGNALS, 5, 0}}},
    [SYS_futex] = {{{WORD, 0, 0}}},
    [SYS_rt_sigprocmask] = {{MASK(1), {STORES, 2, SET_SIZE}}},
    [SYS_rt_sigaction] = {{{READS, 1, ACTION}, {STORES, 2, ACTION}}},
    [SYS_rt_sigsuspend] = {{MASK(0)}},
    [SYS_rt_sigtimedwait] = {{MASK(0), OUT(1, siginfo_t), IN(2, struct timespec)}},
    [SYS_signalfd4] = {{MASK(1)}},
    [SYS_sigaltstack] = {{IN(0, stack_t), OUT(1, stack_t)}},
    [SYS_execve] = {{PATH(0), {VECTOR, 1, 0}, {VECTOR, 2, 0}}},
    [SYS_execveat] = {{PATH(1), {VECTOR, 2, 0}, {VECTOR, 3, 0}}},
    [SYS_ioctl] = {{{CONTROL, 2, 0}}},
    [SYS_fcntl] = {{{COMMAND, 2, 0}}},
    [SYS_getresuid] = {{OUT(0, uid_t), OUT(1, uid_t), OUT(2, uid_t)}},
    [SYS_getresgid] = {{OUT(0, gid_t), OUT(1, gid_t), OUT(2, gid_t)}},
    [SYS_getcpu] = {{OUT(0, unsigned), OUT(1, unsigned)}},
    [SYS_gettimeofday] = {{OUT(0, struct timeval)}},
    [SYS_clock_gettime] = {{OUT(1, struct timespec)}},
    [SYS_clock_getres] = {{OUT(1, struct timespec)}},
    [SYS_clock_settime] = {{IN(1, struct timespec)}},
    [SYS_nanosleep] = {{IN(0, struct timespec), OUT(1, struct timespec)}},
    [SYS_clock_nanosleep] = {{IN(2, struct timespec), OUT(3, struct timespec)}},
    [SYS_getitimer] = {{OUT(1, struct itimerval)}},
    [SYS_setitimer] = {{IN(1, struct itimerval), OUT(2, struct itimerval)}},
    [SYS_timer_settime] = {{IN(2, struct itimerspec), OUT(3, struct itimerspec)}},
    [SYS_timer_gettime] = {{OUT(1, struct itimerspec)}},
    [SYS_timerfd_settime] = {{IN(2, struct itimerspec), OUT(3, struct itimerspec)}},
    [SYS_timerfd_gettime] = {{OUT(1, struct itimerspec)}},
    [SYS_uname] = {{OUT(0, struct utsname)}},
    [SYS_sysinfo] = {{OUT(0, struct sysinfo)}},
    [SYS_getrlimit] = {{OUT(1, struct rlimit)}},
    [SYS_setrlimit] = {{IN(1, struct rlimit)}},
    [SYS_prlimit64] = {{IN(2, struct rlimit), OUT(3, struct rlimit)}},
    [SYS_getrusage] = {{OUT(1, struct rusage)}},
    [SYS_times] = {{OUT(0, struct tms)}},
    [SYS_time] = {{OUT(0, time_t)}},
    [SYS_sethostname] = {{FROM(0)}},
    [SYS_setdomainname] = {{FROM(0)}},
    [SYS_sched_setaffinity] = {{{TAKES, 2, 1}}},
    [SYS_sched_getparam] = {{OUT(1, struct sched_param)}},
    [SYS_sched_setparam] = {{IN(1, struct sched_param)}},
    [SYS_sched_setscheduler] = {{IN(2, struct sched_param)}},
    [SYS_sched_rr_get_interval] = {{OUT(1, struct timespec)}},
    [SYS_sched_getaffinity] = {{{FILLS, 2, 1}}},
    [SYS_waitid] = {{OUT(2, siginfo_t), OUT(4, struct rusage)}},
    [SYS_prctl] = {{{CONFINES, 0, 0}}},
    [SYS_seccomp] = {{{CONFINES, 0, 0}}},
    [SYS_wait4] = {{OUT(1, int), OUT(3, struct rusage)}},
};
_Static_assert(SYS_faccessat2 < CALLS && sizeof(struct call) == 24, "the assembly below");

/* ---- a call with buffers ---- */

/* That of replace/mapping.c. */
long whence_mapped_call(long number, ...) __asm__(PORT_SYSCALL);
HIDDEN long whence_raw_call(long number, long a, long b, long c, long d, long e, long f);

struct stand_ins {
    struct bounce bounce;
    size_t item; /* the bytes of a unit of the result */
    struct scatter scatter;
    struct answer answer;
    struct substitute message;
    struct several messages;
};

static void check_signals(struct site site, const uintptr_t *pair) {
    check_structure(site, pair, 2 * sizeof *pair, 0);
    if (is_there(pair, 2 * sizeof *pair) && *pair)
        check_structure(site, (const void *)*pair, SET_SIZE, 0);
}

/* What waits reads the word. What wakes may come after the word's end. */
static void check_word(struct site site, const void *word, const long *words) {
    int operation = (int)words[1] & FUTEX_CMD_MASK;
    if (operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET) return;
    check_structure(site, word, sizeof(uint32_t), 0);
    if (words[3]) check_structure(site, (const void *)words[3], sizeof(struct timespec), 0);
}

/* Arguments of which the kernel only reads. */
static void check_read(struct site site, struct argument argument, const long *words) {
    const void *pointer = (const void *)words[argument.index];
    int second = (int)words[1];
    switch ((enum kind)argument.kind) {
    case TEXT_AT: check_path(site, pointer); break;
    case READS: check_structure(site, pointer, argument.size, 0); break;
    case TAKES:
        check_structure(site, pointer, (size_t)words[argument.size], 0);
        if (is_there(pointer, (size_t)words[argument.size]))
            check_used(site, pointer, (size_t)words[argument.size]);
        break;
    case GATHERS: check_gathered(site, pointer, (size_t)words[argument.size]); break;
    case SIGNALS: check_signals(site, pointer); break;
    case VECTOR: check_vector(site, (char *const *)(uintptr_t)pointer); break;
    case SENDS:
        check_structure(site, pointer, sizeof(struct msghdr), 0);
        check_sent(site, pointer);
        break;
    case EVENT:
        if (second != EPOLL_CTL_DEL) check_structure(site, pointer, sizeof(struct epoll_event), 0);
        break;
    case WORD: check_word(site, pointer, words); break;
    default: break;
    }
}

/* Programs ask by number, and without arguments, whether the kernel has a call. */
static int may_be_null(enum kind kind) {
    return kind != SCATTERS && kind != GATHERS && kind != VECTOR && kind != ANSWERS &&
           kind != AMENDS;
}

/* Arguments to which the kernel may store: where it could not in a block, a stand-in takes the
 * place. */
static void begin(struct site site, struct argument argument, long *words, struct stand_ins *own) {
    long *word = &words[argument.index];
    void *pointer = (void *)*word;
    if (is_null(pointer) && may_be_null((enum kind)argument.kind)) return;
    switch ((enum kind)argument.kind) {
    case STORES: check_structure(site, pointer, argument.size, 1); break;
    case ITEMS: check_structure(site, pointer, bytes_of((size_t)word[1], argument.size), 1); break;
    case FILES: check_structure(site, pointer, files_size((int)words[0]), 1); break;
    case CONTROL: check_request(site, (unsigned long)words[1], pointer); break;
    case COMMAND: check_command(site, (int)words[1], pointer); break;
    case FILLS:
    case ARRIVING:
        own->item = argument.kind == FILLS ? 1 : argument.size;
        own->bounce =
            bounce_block(site, pointer,
                         argument.kind == FILLS ? (size_t)words[argument.size]
                                                : bytes_of(arrived((int)word[1]), argument.size));
        *word = (long)own->bounce.buffer;
        break;
    case SCATTERS:
        own->scatter = scatter_begin(site, pointer, (size_t)words[argument.size]);
        *word = (long)own->scatter.parts;
        break;
    case ANSWERS:
    case AMENDS:
        own->answer = answer_begin(site, pointer, (socklen_t *)word[1]);
        if (argument.kind == AMENDS) bounce_fill(&own->answer.bounce);
        *word = (long)own->answer.bounce.buffer;
        break;
    case RECEIVES:
        check_structure(site, pointer, sizeof(struct msghdr), 1);
        *word = (long)substitute_begin(site, &own->message, pointer);
        break;
    case SEVERAL_SENT:
        check_structure(site, pointer, several_size((unsigned)word[1]), 1);
        check_all_sent(site, pointer, (unsigned)word[1]);
        break;
    case SEVERAL_RECEIVED:
        check_structure(site, pointer, several_size((unsigned)word[1]), 1);
        own->messages = several_begin(site, pointer, (unsigned)word[1]);
        *word = (long)own->messages.headers;
        break;
    default: check_read(site, argument, words); break;
    }
}

static void end(struct site site, struct stand_ins *own, long result) {
    bounce_end(site, &own->bounce, bytes_of(arrived(result), own->item));
    scatter_end(site, &own->scatter, arrived(result));
    answer_end(site, &own->answer, result >= 0);
    substitute_end(site, &own->message, result);
    several_end(site, &own->messages, (int)result);
}

#define X(name, how) [SYS_##name] = how,
static const uint64_t numbers[CALLS] = {WH_NUMBERS_OF_CALLS(X)};
#undef X

long whence_raw_call(long number, long a, long b, long c, long d, long e, long f) {
    struct site site = {"syscall", FRAME_HERE};
    struct stand_ins own = {0};
    long words[] = {a, b, c, d, e, f};
    if (PORT_OBSERVED && VALUES_ON)
        port_arguments(1, numbers[number], words, site.function, site.frame);
    for (unsigned i = 0; i < ARGUMENTS; i++)
        begin(site, whence_raw_calls[number].arguments[i], words, &own);
    if (number == SYS_epoll_ctl)
        return kernel_epoll_ctl((int)a, (int)b, (int)c, (struct epoll_event *)d);
    int confines = whence_raw_calls[number].arguments[0].kind == CONFINES;
    struct confinement made = {0};
    if (confines && (number == SYS_seccomp || words[0] == PR_SET_SECCOMP)) port_before_leaving();
    if (number == SYS_chroot) port_before_leaving();
    if (confines) made = confine_begin(number, words);
    long result =
        whence_mapped_call(number, words[0], words[1], words[2], words[3], words[4], words[5]);
    confine_end(&made, result);
    if (number == SYS_ioctl) request_done(site, (unsigned long)b, (const void *)c, (int)result);
    end(site, &own, result);
    return result;
}

/* All others go on as they came, as replace/mapping.c explains. */
#define RAW PORT_SYMBOL(syscall, syscall)
__asm__(".text\n"
        ".globl " RAW "\n"
        ".type " RAW ", @function\n" RAW ":\n"
        ".cfi_startproc\n"
        "    cmp $512, %rdi\n"
        "    jae " PORT_SYSCALL "@PLT\n"
        "    lea (%rdi,%rdi,2), %rax\n"
        "    lea whence_raw_calls(%rip), %r11\n"
        "    cmpb $0, (%r11,%rax,8)\n"
        "    jne whence_raw_call\n"
        "    jmp " PORT_SYSCALL "@PLT\n"
        ".cfi_endproc\n"
        ".size " RAW ", .-" RAW "\n");
