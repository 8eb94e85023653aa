/* Calls in the cage: what is harmless is carried out, any other ends the process. */
#include "cage.h"
#include "../calls/calls.h"
#include "signals.h"
#include "../findings/refusal.h"
#include "../os/mem.h"
#include "../os/os.h"
#include "../process/catching.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#define CODE_SECCOMP 1 /* SYS_SECCOMP */
#define CALL_OPENAT2 437
#define PATH_SHOWN 200u
#define X32_BIT 0x40000000

struct call {
    int number;
    uint64_t words[6];
    ucontext_t *machine;
};

/* ---- the program's memory ---- */

/* The bytes that can be read, of `size` at most. */
static size_t copy(void *to, uint64_t from, size_t size) {
    size_t done = 0;
    while (done < size) {
        uint64_t at = from + done, part = OS_PAGE - (at & (OS_PAGE - 1));
        if (part > size - done) part = size - done;
        if (!os_copy((char *)to + done, at, part)) break;
        done += part;
    }
    return done;
}

/* ---- words ---- */

static void put_path(struct text *text, uint64_t from) {
    char path[PATH_SHOWN];
    size_t read = copy(path, from, sizeof path), length = 0;
    while (length < read && path[length]) length++;
    text_put_n(text, path, length);
    if (length == sizeof path) text_put(text, "...");
    if (!length) text_put(text, "a file");
}

static void put_port(struct text *text, uint16_t port) {
    text_put(text, ":");
    text_decimal(text, (uint64_t)(port >> 8 | (port & 0xff) << 8));
}

static void put_address(struct text *text, uint64_t from, uint64_t size) {
    struct sockaddr_storage address = {0};
    size_t length = copy(&address, from, size < sizeof address ? size : sizeof address);
    const struct sockaddr_in *four = (const void *)&address;
    const struct sockaddr_in6 *six = (const void *)&address;
    const struct sockaddr_un *local = (const void *)&address;
    const uint8_t *bytes = (const void *)&four->sin_addr;
    if (length >= sizeof *four && address.ss_family == AF_INET) {
        for (unsigned i = 0; i < 4; i++) {
            if (i) text_put(text, ".");
            text_decimal(text, bytes[i]);
        }
        put_port(text, four->sin_port);
    } else if (length >= sizeof *six && address.ss_family == AF_INET6) {
        text_put(text, "an IPv6 address");
        put_port(text, six->sin6_port);
    } else if (length > offsetof(struct sockaddr_un, sun_path) && address.ss_family == AF_UNIX) {
        size_t room = length - offsetof(struct sockaddr_un, sun_path), used = 0;
        const char *path = local->sun_path;
        if (!*path) {
            text_put(text, "@");
            path++, room--;
        }
        while (used < room && path[used]) used++;
        text_put_n(text, path, used);
    } else {
        text_put(text, "an address");
    }
}

static void put_process(struct text *text, int32_t process) {
    if (process < 0) text_put(text, "group ");
    text_decimal(text, (uint64_t)(process < 0 ? -(int64_t)process : process));
}

static void put_object(struct text *text, const struct cage_row *row, const struct call *call) {
    switch (row->kind) {
    case CAGE_PLAIN: break;
    case CAGE_PATH: put_path(text, call->words[0]); break;
    case CAGE_PATH_AT: put_path(text, call->words[1]); break;
    case CAGE_ADDRESS: put_address(text, call->words[1], call->words[2]); break;
    case CAGE_ADDRESS5: put_address(text, call->words[4], call->words[5]); break;
    case CAGE_PROCESS: put_process(text, (int32_t)call->words[0]);
    }
}

static void put_words(struct text *text, const struct cage_row *row, const struct call *call) {
    const char *words = row->words;
    size_t before = 0;
    while (words[before] && words[before] != '%') before++;
    text_put_n(text, words, before);
    if (!words[before]) return;
    put_object(text, row, call);
    text_put(text, words + before + 1);
}

static _Noreturn void end_at(const struct call *call) {
    const struct cage_row *row = cage_find(call->number);
    TEXT(why, 400);
    text_put(&why, "it ");
    if (row) {
        put_words(&why, row, call);
    } else if (!cage_reads(call->number, call->words)) {
        text_put(&why, "makes a system call that its own filter (seccomp) makes a signal of");
    } else {
        text_put(&why, "reads its standard input, which cannot be read again");
    }
    refusal_end(&why);
}

static _Noreturn void end_at_device(uint64_t path) {
    TEXT(why, 400);
    text_put(&why, "it reads from ");
    put_path(&why, path);
    text_put(&why, ", which is no file that can be read again");
    refusal_end(&why);
}

/* ---- calls that are harmless after all ---- */

static long carry_out(const struct call *call) { return os_call_words(call->number, call->words); }

#define MEMORY 1 /* the device of /dev/null and its like */
static int is_harmless_device(const struct stat *status) {
    unsigned number = minor(status->st_rdev);
    return S_ISCHR(status->st_mode) && major(status->st_rdev) == MEMORY &&
           (number == 3 || number == 5 || number == 7 || number == 8 || number == 9);
}

/* What a path leads to; 0: to nothing, or to what cannot be found out. */
static int look(uint64_t folder, uint64_t path, uint64_t flags, struct stat *status) {
    long how = O_PATH | O_CLOEXEC | (flags & O_NOFOLLOW ? O_NOFOLLOW : 0);
    long file = os_call(SYS_openat, (long)folder, (long)path, how, 0, 0, 0);
    if (os_failed(file)) return 0;
    long result = os_call(SYS_fstat, file, (long)status, 0, 0, 0, 0);
    os_close((int)file);
    return result == 0;
}

static long open_file(const struct call *call, uint64_t folder, uint64_t path, uint64_t flags) {
    int writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC));
    struct stat status;
    if ((flags & O_PATH) || (flags & O_TMPFILE) == O_TMPFILE) return carry_out(call);
    int found = look(folder, path, flags, &status);
    if (found && is_harmless_device(&status)) return carry_out(call);
    if (writes) end_at(call);
    if (found && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode) && !S_ISLNK(status.st_mode))
        end_at_device(path);
    return carry_out(call);
}

/* Name servers of the C library: questions to them are no changes. */
static int is_name_service(const char *path) {
    static const char *const folders[] = {"/var/run/nscd/", "/run/nscd/", "/var/lib/sss/pipes/",
                                          "/run/systemd/userdb/"};
    for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++)
        if (wh_same_bytes((uintptr_t)folders[i], (uintptr_t)path, wh_length(folders[i]))) return 1;
    return 0;
}

static long reach(const struct call *call) {
    struct sockaddr_un address = {0};
    uint64_t size = call->words[2];
    size_t length = copy(&address, call->words[1], size < sizeof address ? size : sizeof address);
    int harmless = length >= sizeof address.sun_family &&
                   (address.sun_family == AF_NETLINK || address.sun_family == AF_UNSPEC ||
                    (call->number == SYS_connect && address.sun_family == AF_UNIX &&
                     is_name_service(address.sun_path)));
    if (!harmless) end_at(call);
    return carry_out(call);
}

/* Questions about the network, which getaddrinfo asks. */
static int asks_kernel(uint64_t message, uint64_t address) {
    struct nlmsghdr header;
    uint16_t family;
    if (copy(&family, address, sizeof family) < sizeof family || family != AF_NETLINK) return 0;
    return copy(&header, message, sizeof header) == sizeof header && (header.nlmsg_type & 3) == 2;
}

static long send_to(const struct call *call) {
    if (!asks_kernel(call->words[0] ? call->words[1] : 0, call->words[4])) end_at(call);
    return carry_out(call);
}

static long send_messages(const struct call *call, size_t stride, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        struct msghdr header;
        uint64_t at = call->words[1] + i * stride;
        if (copy(&header, at, sizeof header) < sizeof header) break;
        if (header.msg_name) end_at(call);
    }
    return carry_out(call);
}

/* Whether a thread belongs to this process. */
static int is_own_thread(uint64_t thread) {
    return os_call(SYS_tgkill, os_process(), (long)thread, 0, 0, 0, 0) == 0;
}

static long send_signal(const struct call *call, int thread, uint64_t signal) {
    if (signal && !(thread && is_own_thread(call->words[0]))) end_at(call);
    return carry_out(call);
}

/* The change of the mask happens when the handler returns. SIGSYS stays open. */
static long change_mask(const struct call *call) {
    uint64_t wanted, now, never = SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP) | SIGNAL_BIT(SIGSYS);
    void *mask = &call->machine->uc_sigmask;
    wh_copy(&now, mask, sizeof now);
    uint64_t old = call->words[2], next = now;
    if (call->words[3] != sizeof wanted) return -EINVAL;
    if (copy(&wanted, call->words[1], sizeof wanted) < sizeof wanted) return -EFAULT;
    switch ((int)call->words[0]) {
    case SIG_BLOCK: next = now | wanted; break;
    case SIG_UNBLOCK: next = now & ~wanted; break;
    case SIG_SETMASK: next = wanted; break;
    default: return -EINVAL;
    }
    if (old && !os_writable(old)) return -EFAULT; /* the test overwrites as many bytes */
    if (old) wh_copy((void *)(uintptr_t)old, &now, sizeof now);
    next &= ~never;
    wh_copy(mask, &next, sizeof next);
    return 0;
}

struct how {
    uint64_t flags, mode, resolve;
};

static long decide(const struct call *call) {
    const uint64_t *words = call->words;
    struct how how = {0};
    switch (call->number) {
    case SYS_rt_sigprocmask: return change_mask(call);
    case SYS_open: return open_file(call, (uint64_t)AT_FDCWD, words[0], words[1]);
    case SYS_openat: return open_file(call, words[0], words[1], words[2]);
    case SYS_creat: return open_file(call, (uint64_t)AT_FDCWD, words[0], O_WRONLY | O_CREAT);
    case CALL_OPENAT2:
        copy(&how, words[2], sizeof how);
        return open_file(call, words[0], words[1], how.flags);
    case SYS_connect:
    case SYS_bind: return reach(call);
    case SYS_sendto: return send_to(call);
    case SYS_sendmsg: return send_messages(call, 0, 1);
    case SYS_sendmmsg: return send_messages(call, sizeof(struct mmsghdr), (uint32_t)words[2]);
    case SYS_kill: return send_signal(call, 0, words[1]);
    case SYS_tkill: return send_signal(call, 1, words[1]);
    case SYS_tgkill: return send_signal(call, 0, words[2]);
    default: break;
    }
    if (!calls_are_kept((unsigned)call->number) || cage_find(call->number) ||
        cage_reads(call->number, words))
        end_at(call);
    return carry_out(call);
}

void cage_caught(int number, siginfo_t *info, void *machine) {
    ucontext_t *context = machine;
    greg_t *registers = context->uc_mcontext.gregs;
    if (info->si_code != CODE_SECCOMP) {
        signals_hand_on(number, info, machine);
        return;
    }
    struct call call = {
        info->si_syscall,
        {(uint64_t)registers[REG_RDI], (uint64_t)registers[REG_RSI], (uint64_t)registers[REG_RDX],
         (uint64_t)registers[REG_R10], (uint64_t)registers[REG_R8], (uint64_t)registers[REG_R9]},
        context,
    };
    if (info->si_arch != AUDIT_ARCH_X86_64 || (call.number & X32_BIT)) {
        TEXT(why, 60);
        text_put(&why, "it makes system calls of other programs than 64-bit ones");
        refusal_end(&why);
    }
    long result;
    uint32_t site = calls_site((uintptr_t)registers[REG_RIP]);
    if (!cage_again(call.number, site, call.words, &result)) result = decide(&call);
    registers[REG_RAX] = result;
}
