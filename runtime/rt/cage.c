#include "cage.h"
#include "../calls/calls.h"
#include "../findings/refusal.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../process/catching.h"
#include "../settings/options.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* ---- what changes the world ---- */

/* Calls newer than the headers of the oldest system that builds this. */
#define CALL_OPENAT2 437
#define CALL_PIDFD_GETFD 438
#define CALL_MOUNT_SETATTR 442
#define CALL_FCHMODAT2 452

static const struct cage_row rows[] = {
    {SYS_unlink, CAGE_PATH, "removes %"},
    {SYS_unlinkat, CAGE_PATH_AT, "removes %"},
    {SYS_rmdir, CAGE_PATH, "removes the folder %"},
    {SYS_rename, CAGE_PATH, "renames %"},
    {SYS_renameat, CAGE_PATH_AT, "renames %"},
    {SYS_renameat2, CAGE_PATH_AT, "renames %"},
    {SYS_mkdir, CAGE_PATH, "makes the folder %"},
    {SYS_mkdirat, CAGE_PATH_AT, "makes the folder %"},
    {SYS_link, CAGE_PATH, "makes a link to %"},
    {SYS_linkat, CAGE_PATH_AT, "makes a link to %"},
    {SYS_symlink, CAGE_PATH, "makes a link to %"},
    {SYS_symlinkat, CAGE_PATH, "makes a link to %"},
    {SYS_mknod, CAGE_PATH, "makes %"},
    {SYS_mknodat, CAGE_PATH_AT, "makes %"},
    {SYS_chmod, CAGE_PATH, "changes the mode of %"},
    {SYS_fchmod, CAGE_PLAIN, "changes the mode of a file"},
    {SYS_fchmodat, CAGE_PATH_AT, "changes the mode of %"},
    {CALL_FCHMODAT2, CAGE_PATH_AT, "changes the mode of %"},
    {SYS_chown, CAGE_PATH, "changes the owner of %"},
    {SYS_lchown, CAGE_PATH, "changes the owner of %"},
    {SYS_fchown, CAGE_PLAIN, "changes the owner of a file"},
    {SYS_fchownat, CAGE_PATH_AT, "changes the owner of %"},
    {SYS_truncate, CAGE_PATH, "truncates %"},
    {SYS_utime, CAGE_PATH, "changes the times of %"},
    {SYS_utimes, CAGE_PATH, "changes the times of %"},
    {SYS_futimesat, CAGE_PATH_AT, "changes the times of %"},
    {SYS_utimensat, CAGE_PATH_AT, "changes the times of %"},
    {SYS_setxattr, CAGE_PATH, "changes attributes of %"},
    {SYS_lsetxattr, CAGE_PATH, "changes attributes of %"},
    {SYS_fsetxattr, CAGE_PLAIN, "changes attributes of a file"},
    {SYS_removexattr, CAGE_PATH, "changes attributes of %"},
    {SYS_lremovexattr, CAGE_PATH, "changes attributes of %"},
    {SYS_fremovexattr, CAGE_PLAIN, "changes attributes of a file"},
    {SYS_open_by_handle_at, CAGE_PLAIN, "opens a file by its handle"},
    {SYS_creat, CAGE_PATH, "opens % for writing"},
    {SYS_open, CAGE_PATH, "opens % for writing"},
    {SYS_openat, CAGE_PATH_AT, "opens % for writing"},
    {CALL_OPENAT2, CAGE_PATH_AT, "opens % for writing"},
    {SYS_connect, CAGE_ADDRESS, "connects to %"},
    {SYS_bind, CAGE_ADDRESS, "takes the address %"},
    {SYS_listen, CAGE_PLAIN, "waits for connections"},
    {SYS_accept, CAGE_PLAIN, "takes a connection"},
    {SYS_accept4, CAGE_PLAIN, "takes a connection"},
    {SYS_sendto, CAGE_ADDRESS5, "sends to %"},
    {SYS_sendmsg, CAGE_PLAIN, "sends to an address"},
    {SYS_sendmmsg, CAGE_PLAIN, "sends to addresses"},
    {SYS_fork, CAGE_PLAIN, "starts another process"},
    {SYS_vfork, CAGE_PLAIN, "starts another process"},
    {SYS_clone, CAGE_PLAIN, "starts another process"},
    {SYS_execve, CAGE_PATH, "executes %"},
    {SYS_execveat, CAGE_PATH_AT, "executes %"},
    {SYS_kill, CAGE_PROCESS, "sends a signal to process %"},
    {SYS_tkill, CAGE_PROCESS, "sends a signal to thread %"},
    {SYS_tgkill, CAGE_PROCESS, "sends a signal to process %"},
    {SYS_rt_sigqueueinfo, CAGE_PROCESS, "sends a signal to process %"},
    {SYS_rt_tgsigqueueinfo, CAGE_PROCESS, "sends a signal to process %"},
    {SYS_pidfd_send_signal, CAGE_PLAIN, "sends a signal to another process"},
    {CALL_PIDFD_GETFD, CAGE_PLAIN, "takes a descriptor of another process"},
    {SYS_ptrace, CAGE_PLAIN, "traces a process"},
    {SYS_process_vm_writev, CAGE_PROCESS, "writes to the memory of process %"},
    {SYS_setpriority, CAGE_PLAIN, "changes priorities"},
    {SYS_shmget, CAGE_PLAIN, "uses System V shared memory"},
    {SYS_shmat, CAGE_PLAIN, "uses System V shared memory"},
    {SYS_shmctl, CAGE_PLAIN, "uses System V shared memory"},
    {SYS_semget, CAGE_PLAIN, "uses System V semaphores"},
    {SYS_semop, CAGE_PLAIN, "uses System V semaphores"},
    {SYS_semtimedop, CAGE_PLAIN, "uses System V semaphores"},
    {SYS_semctl, CAGE_PLAIN, "uses System V semaphores"},
    {SYS_msgget, CAGE_PLAIN, "uses System V message queues"},
    {SYS_msgsnd, CAGE_PLAIN, "uses System V message queues"},
    {SYS_msgrcv, CAGE_PLAIN, "uses System V message queues"},
    {SYS_msgctl, CAGE_PLAIN, "uses System V message queues"},
    {SYS_mq_open, CAGE_PATH, "opens the message queue %"},
    {SYS_mq_unlink, CAGE_PATH, "removes the message queue %"},
    {SYS_io_uring_setup, CAGE_PLAIN, "makes system calls through io_uring"},
    {SYS_io_setup, CAGE_PLAIN, "makes asynchronous system calls"},
    {SYS_add_key, CAGE_PLAIN, "changes keys of the kernel"},
    {SYS_request_key, CAGE_PLAIN, "changes keys of the kernel"},
    {SYS_keyctl, CAGE_PLAIN, "changes keys of the kernel"},
    {SYS_mount, CAGE_PLAIN, "changes what is mounted"},
    {SYS_umount2, CAGE_PATH, "unmounts %"},
    {SYS_pivot_root, CAGE_PLAIN, "changes what is mounted"},
    {SYS_move_mount, CAGE_PLAIN, "changes what is mounted"},
    {SYS_open_tree, CAGE_PLAIN, "changes what is mounted"},
    {SYS_fsopen, CAGE_PLAIN, "changes what is mounted"},
    {SYS_fsmount, CAGE_PLAIN, "changes what is mounted"},
    {SYS_fspick, CAGE_PLAIN, "changes what is mounted"},
    {CALL_MOUNT_SETATTR, CAGE_PLAIN, "changes what is mounted"},
    {SYS_fanotify_init, CAGE_PLAIN, "watches file systems"},
    {SYS_chroot, CAGE_PATH, "changes its root to %"},
    {SYS_unshare, CAGE_PLAIN, "leaves its namespaces"},
    {SYS_setns, CAGE_PLAIN, "changes its namespaces"},
    {SYS_setuid, CAGE_PLAIN, "becomes another user"},
    {SYS_setreuid, CAGE_PLAIN, "becomes another user"},
    {SYS_setresuid, CAGE_PLAIN, "becomes another user"},
    {SYS_setfsuid, CAGE_PLAIN, "becomes another user"},
    {SYS_setgid, CAGE_PLAIN, "changes its group"},
    {SYS_setregid, CAGE_PLAIN, "changes its group"},
    {SYS_setresgid, CAGE_PLAIN, "changes its group"},
    {SYS_setfsgid, CAGE_PLAIN, "changes its group"},
    {SYS_setgroups, CAGE_PLAIN, "changes its group"},
    {SYS_capset, CAGE_PLAIN, "changes its privileges"},
    {SYS_bpf, CAGE_PLAIN, "loads programs into the kernel"},
    {SYS_sethostname, CAGE_PLAIN, "changes the name of the system"},
    {SYS_setdomainname, CAGE_PLAIN, "changes the name of the system"},
    {SYS_settimeofday, CAGE_PLAIN, "sets the clock"},
    {SYS_clock_settime, CAGE_PLAIN, "sets the clock"},
    {SYS_adjtimex, CAGE_PLAIN, "sets the clock"},
    {SYS_clock_adjtime, CAGE_PLAIN, "sets the clock"},
    {SYS_swapon, CAGE_PLAIN, "changes the system"},
    {SYS_swapoff, CAGE_PLAIN, "changes the system"},
    {SYS_reboot, CAGE_PLAIN, "changes the system"},
    {SYS_acct, CAGE_PLAIN, "changes the system"},
    {SYS_quotactl, CAGE_PLAIN, "changes the system"},
    {SYS_syslog, CAGE_PLAIN, "changes the system"},
    {SYS_vhangup, CAGE_PLAIN, "changes the system"},
    {SYS_iopl, CAGE_PLAIN, "changes the system"},
    {SYS_ioperm, CAGE_PLAIN, "changes the system"},
    {SYS_init_module, CAGE_PLAIN, "changes the system"},
    {SYS_finit_module, CAGE_PLAIN, "changes the system"},
    {SYS_delete_module, CAGE_PLAIN, "changes the system"},
    {SYS_kexec_load, CAGE_PLAIN, "changes the system"},
    {SYS_kexec_file_load, CAGE_PLAIN, "changes the system"},
};

#define ROWS (sizeof rows / sizeof *rows)

const struct cage_row *cage_find(int number) {
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].number == number) return &rows[i];
    return NULL;
}

/* ---- the filter ---- */

#define FILTER_MOST 1024
#define TRAP SECCOMP_RET_TRAP
#define ALLOW SECCOMP_RET_ALLOW
#define FAIL(error) (SECCOMP_RET_ERRNO | (error))
#define X32_BIT 0x40000000u
#define DATA(field) ((uint32_t)offsetof(struct seccomp_data, field))
#define LOW(index) (DATA(args) + 8 * (index))
#define HIGH(index) (LOW(index) + 4)

struct filter {
    struct sock_filter code[FILTER_MOST];
    unsigned short count;
};

static void put(struct filter *filter, uint16_t code, uint8_t yes, uint8_t no, uint32_t value) {
    if (filter->count < FILTER_MOST)
        filter->code[filter->count++] = (struct sock_filter){code, yes, no, value};
}

static void load(struct filter *filter, uint32_t offset) {
    put(filter, BPF_LD | BPF_W | BPF_ABS, 0, 0, offset);
}

static void answer(struct filter *filter, uint32_t action) {
    put(filter, BPF_RET | BPF_K, 0, 0, action);
}

/* Answers if the loaded word is one value. */
static void answer_if(struct filter *filter, uint32_t value, uint32_t action) {
    put(filter, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value);
    answer(filter, action);
}

/* Answers if the loaded word has one of these bits. */
static void answer_if_any(struct filter *filter, uint32_t bits, uint32_t action) {
    put(filter, BPF_JMP | BPF_JSET | BPF_K, 0, 1, bits);
    answer(filter, action);
}

/* What is put between these two is for one call, and ends with an answer. */
static unsigned begin_call(struct filter *filter, uint32_t number) {
    put(filter, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, number);
    return filter->count;
}

static void end_call(struct filter *filter, unsigned begin) {
    filter->code[begin - 1].jf = (uint8_t)(filter->count - begin);
}

/* Allows calls from [begin, end), which does not cross a multiple of 4 GiB. */
static void allow_code(struct filter *filter, uint64_t begin, uint64_t end) {
    load(filter, DATA(instruction_pointer) + 4);
    put(filter, BPF_JMP | BPF_JEQ | BPF_K, 0, 4, (uint32_t)(begin >> 32));
    load(filter, DATA(instruction_pointer));
    put(filter, BPF_JMP | BPF_JGE | BPF_K, 0, 2, (uint32_t)begin);
    put(filter, BPF_JMP | BPF_JGT | BPF_K, 1, 0, (uint32_t)(end - 1));
    answer(filter, ALLOW);
}

extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

/* The pointer that the kernel tells is behind the call. */
static void allow_ourselves(struct filter *filter) {
    uintptr_t base = (uintptr_t)&__ehdr_start;
    const ElfW(Phdr) *headers = (const void *)(base + __ehdr_start.e_phoff);
    for (unsigned i = 0; i < __ehdr_start.e_phnum; i++) {
        if (headers[i].p_type != PT_LOAD || !(headers[i].p_flags & PF_X)) continue;
        uint64_t begin = base + headers[i].p_vaddr, end = begin + headers[i].p_memsz + 1;
        uint64_t middle = wh_round_up(begin + 1, 1ull << 32);
        allow_code(filter, begin, end < middle ? end : middle);
        if (middle < end) allow_code(filter, middle, end);
    }
}

/* A call that changes something unless this argument, a pointer, is NULL. */
static void allow_null(struct filter *filter, uint32_t number, unsigned argument) {
    unsigned begin = begin_call(filter, number);
    load(filter, LOW(argument));
    put(filter, BPF_JMP | BPF_JEQ | BPF_K, 0, 3, 0);
    load(filter, HIGH(argument));
    answer_if(filter, 0, ALLOW);
    answer(filter, TRAP);
    end_call(filter, begin);
}

/* Calls of which the arguments decide. */
static void put_special(struct filter *filter, uint32_t self) {
    static const uint32_t to_self[] = {SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo,
                                       SYS_rt_tgsigqueueinfo};
    unsigned begin = begin_call(filter, SYS_clone);
    load(filter, LOW(0));
    answer_if_any(filter, CLONE_THREAD, ALLOW);
    answer(filter, TRAP);
    end_call(filter, begin);
    answer_if(filter, SYS_clone3, FAIL(ENOSYS)); /* its flags lie in memory: clone follows */
    for (unsigned i = 0; i < sizeof to_self / sizeof *to_self; i++) {
        begin = begin_call(filter, to_self[i]);
        load(filter, LOW(0));
        answer_if(filter, self, ALLOW);
        answer(filter, TRAP);
        end_call(filter, begin);
    }
    if (!CALLS_REPEATED) allow_null(filter, SYS_sendto, 4);
    begin = begin_call(filter, SYS_rt_sigaction); /* our handler stays */
    load(filter, LOW(0));
    answer_if(filter, SIGSYS, FAIL(0));
    answer(filter, ALLOW);
    end_call(filter, begin);
    allow_null(filter, SYS_rt_sigprocmask, 1); /* a blocked SIGSYS would kill */
}

/* Calls that read a descriptor, or make another one of it, and the argument that it is. */
static const struct {
    uint32_t number, argument;
} readers[] = {
    {SYS_read, 0},    {SYS_readv, 0},    {SYS_pread64, 0},
    {SYS_preadv, 0},  {SYS_preadv2, 0},  {SYS_dup, 0},
    {SYS_dup2, 0},    {SYS_dup3, 0},     {SYS_recvfrom, 0},
    {SYS_recvmsg, 0}, {SYS_recvmmsg, 0}, {SYS_splice, 0},
    {SYS_tee, 0},     {SYS_sendfile, 1}, {SYS_copy_file_range, 0},
};

int cage_reads(int number, const uint64_t *words) {
    if (options.caged != CAGED_INPUT) return 0;
    for (unsigned i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i].number == (uint32_t)number) return words[readers[i].argument] == 0;
    return number == SYS_fcntl && words[0] == 0 &&
           (words[1] == F_DUPFD || words[1] == F_DUPFD_CLOEXEC);
}

static void put_readers(struct filter *filter) {
    for (unsigned i = 0; i < sizeof readers / sizeof *readers; i++) {
        unsigned begin = begin_call(filter, readers[i].number);
        load(filter, LOW(readers[i].argument));
        answer_if(filter, 0, TRAP);
        answer(filter, ALLOW);
        end_call(filter, begin);
    }
    unsigned begin = begin_call(filter, SYS_fcntl);
    load(filter, LOW(0));
    put(filter, BPF_JMP | BPF_JEQ | BPF_K, 0, 5, 0);
    load(filter, LOW(1));
    answer_if(filter, F_DUPFD, TRAP);
    answer_if(filter, F_DUPFD_CLOEXEC, TRAP);
    answer(filter, ALLOW);
    end_call(filter, begin);
}

/* Calls whose answers the first run may have kept. */
static void put_kept(struct filter *filter) {
    for (unsigned number = 0; number < CALLS_MOST; number++)
        if (calls_are_kept(number)) answer_if(filter, number, TRAP);
}

static void make_filter(struct filter *filter, uint32_t self) {
    load(filter, DATA(arch));
    put(filter, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, AUDIT_ARCH_X86_64);
    answer(filter, TRAP);
    load(filter, DATA(nr));
    answer_if_any(filter, X32_BIT, TRAP);
    answer_if(filter, SYS_execve, TRAP); /* the program's, where the runtime makes it for that */
    answer_if(filter, SYS_execveat, TRAP);
    allow_ourselves(filter);
    load(filter, DATA(nr));
    put_special(filter, self);
    if (CALLS_REPEATED)
        put_kept(filter);
    else if (options.caged == CAGED_INPUT)
        put_readers(filter);
    for (size_t i = 0; i < ROWS; i++) answer_if(filter, (uint32_t)rows[i].number, TRAP);
    answer(filter, ALLOW);
}

/* ---- what is inherited ---- */

/* Another open file in the place of a descriptor, which keeps its flags. */
static void replace(int descriptor, int file) {
    long flags = os_call(SYS_fcntl, descriptor, F_GETFD, 0, 0, 0, 0);
    long more = flags > 0 && (flags & FD_CLOEXEC) ? O_CLOEXEC : 0;
    os_call(SYS_dup3, file, descriptor, more, 0, 0, 0);
}

/* The begin of a file that can only be read, by an open file of its own. -1: there is none. */
static int again(int descriptor, uint32_t mode) {
    long how = os_call(SYS_fcntl, descriptor, F_GETFL, 0, 0, 0, 0);
    if (!S_ISREG(mode) || how < 0 || (how & O_ACCMODE) != O_RDONLY) return -1;
    TEXT(path, 40);
    text_descriptor(&path, (uint64_t)descriptor);
    return os_open(path.begin, OS_OPEN_READ);
}

static void detach(int descriptor, int nowhere) {
    struct os_identity identity;
    if (os_identify(descriptor, &identity) < 0 || S_ISDIR(identity.mode)) return;
    int file = again(descriptor, identity.mode);
    replace(descriptor, file < 0 ? nowhere : file);
    if (file >= 0) os_close(file);
}

struct entry {
    uint64_t number, offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

#define LISTED_MOST 256

static unsigned descriptors_in(const char *buffer, long size, int *into) {
    unsigned count = 0;
    for (long at = 0; at < size && count < LISTED_MOST;) {
        const struct entry *entry = (const void *)(buffer + at);
        int number = 0;
        const char *digit = entry->name;
        for (; *digit >= '0' && *digit <= '9'; digit++) number = number * 10 + (*digit - '0');
        if (!*digit && number > 2) into[count++] = number;
        at += entry->length;
    }
    return count;
}

static void detach_all(void) {
    char buffer[4096] __attribute__((aligned(8)));
    int found[LISTED_MOST];
    int folder = os_open("/proc/self/fd", OS_OPEN_DIRECTORY);
    int nowhere = os_open("/dev/null", OS_OPEN_READ_WRITE);
    long size;
    while (folder >= 0 && (size = os_list(folder, buffer, sizeof buffer)) > 0) {
        unsigned count = descriptors_in(buffer, size, found);
        for (unsigned i = 0; i < count; i++)
            if (found[i] != folder && found[i] != nowhere) detach(found[i], nowhere);
    }
    if (nowhere >= 0) os_close(nowhere);
    if (folder >= 0) os_close(folder);
}

/* ---- closing it ---- */

static void take_calls(void) {
    struct catching_action action = catching_action_of(cage_caught);
    action.flags &=
        ~(uint64_t)(SA_ONSTACK | SA_NODEFER); /* it needs little, a stack of signals less */
    action.mask = ~(uint64_t)0;
    catching_set(SIGSYS, &action, NULL);
    uint64_t ours = SIGNAL_BIT(SIGSYS);
    os_call(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&ours, 0, sizeof ours, 0, 0);
}

void cage_close(void) {
    static struct filter filter;
    make_filter(&filter, os_process());
    struct sock_fprog program = {filter.count, filter.code};
    detach_all();
    take_calls();
    os_call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0);
    long result = os_call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
                          (long)&program, 0, 0, 0);
    if (!result && filter.count < FILTER_MOST) return;
    TEXT(why, 80);
    text_put(&why, "the system does not let its calls be filtered (seccomp: error ");
    text_decimal(&why, (uint64_t)-result);
    text_put(&why, ")");
    refusal_end(&why);
}
