/* sys/ioctl.h and fcntl.h: requests. Their numbers say what the argument is; of others nothing is
 * known. */
#include <stdarg.h>
#include "kernel.h"
#include "../../os/mem.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/hdreg.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>

struct request {
    unsigned long number;
    size_t size;
    int stores; /* the kernel stores to the structure, which it may read as well */
};

#define KERNEL_TERMINAL 36u /* struct termios of the kernel is shorter than the library's */

/* Sorted by their use; a request whose number gives another size than the kernel accesses has the
 * kernel's. */
static const struct request requests[] = {
    {TCGETS, KERNEL_TERMINAL, 1},
    {TCSETS, KERNEL_TERMINAL, 0},
    {TCSETSW, KERNEL_TERMINAL, 0},
    {TCSETSF, KERNEL_TERMINAL, 0},
    {TIOCGWINSZ, sizeof(struct winsize), 1},
    {TIOCSWINSZ, sizeof(struct winsize), 0},
    {TIOCGPGRP, sizeof(pid_t), 1},
    {TIOCSPGRP, sizeof(pid_t), 0},
    {TIOCGSID, sizeof(pid_t), 1},
    {TIOCGPTN, sizeof(unsigned), 1},
    {TIOCSPTLCK, sizeof(int), 0},
    {TIOCGETD, sizeof(int), 1},
    {TIOCSETD, sizeof(int), 0},
    {TIOCMGET, sizeof(int), 1},
    {TIOCMSET, sizeof(int), 0},
    {TIOCMBIS, sizeof(int), 0},
    {TIOCMBIC, sizeof(int), 0},
    {TIOCPKT, sizeof(int), 0},
    {TIOCSTI, sizeof(char), 0},
    {TIOCOUTQ, sizeof(int), 1},
    {FIONREAD, sizeof(int), 1},
    {FIONBIO, sizeof(int), 0},
    {FIOASYNC, sizeof(int), 0},
    {FIOQSIZE, sizeof(loff_t), 1},
    {SIOCATMARK, sizeof(int), 1},
    {FIOSETOWN, sizeof(int), 0},
    {FIOGETOWN, sizeof(int), 1},
    {SIOCGIFCONF, sizeof(struct ifconf), 1},
    {SIOCGIFNAME, sizeof(struct ifreq), 1},
    {SIOCGIFFLAGS, sizeof(struct ifreq), 1},
    {SIOCGIFADDR, sizeof(struct ifreq), 1},
    {SIOCGIFNETMASK, sizeof(struct ifreq), 1},
    {SIOCGIFBRDADDR, sizeof(struct ifreq), 1},
    {SIOCGIFHWADDR, sizeof(struct ifreq), 1},
    {SIOCGIFMTU, sizeof(struct ifreq), 1},
    {SIOCGIFINDEX, sizeof(struct ifreq), 1},
    {SIOCGIFTXQLEN, sizeof(struct ifreq), 1},
    {FS_IOC_GETFLAGS, sizeof(int), 1},
    {FS_IOC_SETFLAGS, sizeof(int), 0},
    {FS_IOC_GETVERSION, sizeof(int), 1},
    {FIGETBSZ, sizeof(int), 1},
    {FICLONERANGE, sizeof(struct file_clone_range), 0},
    {BLKGETSIZE, sizeof(long), 1},
    {BLKGETSIZE64, sizeof(uint64_t), 1},
    {BLKSSZGET, sizeof(int), 1},
    {BLKROGET, sizeof(int), 1},
    {HDIO_GETGEO, sizeof(struct hd_geometry), 1},
};

void check_request(struct site site, unsigned long number, const void *argument) {
    if (!is_judged(argument)) return;
    for (unsigned i = 0; i < sizeof requests / sizeof *requests; i++)
        if (requests[i].number == number)
            check_structure(site, argument, requests[i].size, requests[i].stores);
}

/* The argument is passed on as it comes, also where there is none. */
WRAP(int, ioctl, (int file, unsigned long request, ...)) {
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    check_request(SITE, request, argument);
    return (int)USED(file, NEXT(ioctl)(file, request, argument));
}

/* ---- fcntl ---- */

void check_command(struct site site, int command, const void *argument) {
    switch (command) {
    case F_GETLK:
    case F_OFD_GETLK: check_structure(site, argument, sizeof(struct flock), 1); break;
    case F_SETLK:
    case F_SETLKW:
    case F_OFD_SETLK:
    case F_OFD_SETLKW: check_structure(site, argument, sizeof(struct flock), 0); break;
    case F_GETOWN_EX: check_structure(site, argument, sizeof(struct f_owner_ex), 1); break;
    case F_SETOWN_EX: check_structure(site, argument, sizeof(struct f_owner_ex), 0); break;
    case F_GET_RW_HINT:
    case F_GET_FILE_RW_HINT: check_structure(site, argument, sizeof(uint64_t), 1); break;
    case F_SET_RW_HINT:
    case F_SET_FILE_RW_HINT: check_structure(site, argument, sizeof(uint64_t), 0); break;
    default: break;
    }
}

#define SHELLS_FIRST 10 /* of the numbers that users do not choose in redirections */

/* Programs ask for flags to know whether a descriptor is open; shells save whatever is open, if
 * anything is, where users do not see it. */
static int asks(int command, const void *argument) {
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
        return (int)(intptr_t)argument >= SHELLS_FIRST;
    return command == F_GETFD || command == F_GETFL;
}

static int commanded(struct site site, int file, int command, const void *argument, int result) {
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) file_opened(site, result);
    if (asks(command, argument)) return result;
    return (int)file_used(site, file, result);
}

#define COMMAND(name)                                                                              \
    WRAP(int, name, (int file, int command, ...)) {                                                \
        va_list arguments;                                                                         \
        va_start(arguments, command);                                                              \
        void *argument = va_arg(arguments, void *);                                                \
        va_end(arguments);                                                                         \
        check_command(SITE, command, argument);                                                    \
        return commanded(SITE, file, command, argument, NEXT(name)(file, command, argument));      \
    }

int fcntl64(int, int, ...) __attribute__((weak));
COMMAND(fcntl)
COMMAND(fcntl64)
