/* syscall: the buffers of calls that are made by number. */
#include <stdarg.h>
#include "../../intercept/check.h"
#include "../../intercept/scatter.h"
#include "../../os/mem.h"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* ---- what the arguments are ---- */

enum kind {
    NOTHING,
    TEXT_AT,  /* a path or another name */
    READS,    /* a structure of `size` bytes */
    STORES,   /* the same */
    TAKES,    /* a buffer; argument `size` is its size */
    FILLS,    /* the same; the result is how much is stored */
    GATHERS,  /* a table of parts; argument `size` is their number */
    SCATTERS, /* the same */
};

struct argument {
    uint8_t kind, index;
    uint16_t size;
};

struct call {
    struct argument arguments[3];
};

#define CALLS 512

#define PATH(index) {TEXT_AT, index, 0}
#define IN(index, type) {READS, index, sizeof(type)}
#define OUT(index, type) {STORES, index, sizeof(type)}
#define FROM(index) {TAKES, index, (index) + 1}
#define TO(index) {FILLS, index, (index) + 1}

/* By number. Calls that some library function makes in the same form; what else there is goes to
 * the kernel unseen. */
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
    [SYS_recvfrom] = {{TO(1)}},
    [SYS_sendto] = {{FROM(1), {TAKES, 4, 5}}},
    [SYS_bind] = {{FROM(1)}},
    [SYS_connect] = {{FROM(1)}},
    [SYS_setsockopt] = {{{TAKES, 3, 4}}},
    [SYS_getdents64] = {{TO(1)}},
    [SYS_getcwd] = {{TO(0)}},
    [SYS_readlink] = {{PATH(0), TO(1)}},
    [SYS_readlinkat] = {{PATH(1), TO(2)}},
    [SYS_getrandom] = {{TO(0)}},
    [SYS_open] = {{PATH(0)}},
    [SYS_openat] = {{PATH(1)}},
    [SYS_creat] = {{PATH(0)}},
    [SYS_access] = {{PATH(0)}},
    [SYS_faccessat] = {{PATH(1)}},
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
    [SYS_epoll_ctl] = {{IN(3, struct epoll_event)}},
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
    [SYS_sched_getaffinity] = {{{FILLS, 2, 1}}},
    [SYS_waitid] = {{OUT(2, siginfo_t), OUT(4, struct rusage)}},
    [SYS_wait4] = {{OUT(1, int), OUT(3, struct rusage)}},
};
_Static_assert(SYS_statx < CALLS && sizeof(struct call) == 12, "the assembly below");

/* ---- a call with buffers ---- */

HIDDEN long whence_mapping_syscall(long number, ...);
HIDDEN long whence_raw_call(long number, long a, long b, long c, long d, long e, long f);

struct stand_ins {
    struct bounce bounce;
    struct scatter scatter;
};

static void begin(struct site site, struct argument argument, long *words,
                  struct stand_ins *stand_ins) {
    void *pointer = (void *)words[argument.index];
    size_t size = argument.kind >= TAKES ? (size_t)words[argument.size] : argument.size;
    switch ((enum kind)argument.kind) {
    case NOTHING: break;
    case TEXT_AT: check_path(site, pointer); break;
    case READS:
    case STORES: check_structure(site, pointer, size, argument.kind == STORES); break;
    case TAKES: check_range(site, pointer, size, 0, pointer); break;
    case GATHERS: check_gathered(site, pointer, size); break;
    case FILLS:
        stand_ins->bounce = bounce_begin(site, pointer, size);
        words[argument.index] = (long)stand_ins->bounce.buffer;
        break;
    case SCATTERS:
        stand_ins->scatter = scatter_begin(site, pointer, size);
        words[argument.index] = (long)stand_ins->scatter.parts;
        break;
    }
}

long whence_raw_call(long number, long a, long b, long c, long d, long e, long f) {
    struct site site = {"syscall", FRAME_HERE};
    struct stand_ins stand_ins = {0};
    long words[] = {a, b, c, d, e, f};
    for (unsigned i = 0; i < 3; i++)
        begin(site, whence_raw_calls[number].arguments[i], words, &stand_ins);
    long result =
        whence_mapping_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
    bounce_end(site, &stand_ins.bounce, arrived(result));
    scatter_end(site, &stand_ins.scatter, arrived(result));
    return result;
}

/* All others go on as they came, as replace/mapping.c explains. */
__asm__(".text\n"
        ".globl syscall\n"
        ".type syscall, @function\n"
        "syscall:\n"
        ".cfi_startproc\n"
        "    cmp $512, %rdi\n"
        "    jae whence_mapping_syscall\n"
        "    lea (%rdi,%rdi,2), %rax\n"
        "    lea whence_raw_calls(%rip), %r11\n"
        "    cmpb $0, (%r11,%rax,4)\n"
        "    jne whence_raw_call\n"
        "    jmp whence_mapping_syscall\n"
        ".cfi_endproc\n"
        ".size syscall, .-syscall\n");
