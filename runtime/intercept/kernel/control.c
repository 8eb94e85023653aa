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
#include <string.h>
#include <sys/ioctl.h>

/* What it reads of a structure to which it stores decides what it does. */
enum decides { NONE, NAME_DECIDES, INDEX_DECIDES, WHOLE_DECIDES, LIST_DECIDES };

struct request {
    unsigned long number;
    size_t size;
    int stores; /* the kernel stores to the structure, which it may read as well */
    enum decides decides;
};

#define KERNEL_TERMINAL 36u /* struct termios of the kernel is shorter than the library's */

/* Sorted by their use; a request whose number gives another size than the kernel accesses has the
 * kernel's. */
static const struct request requests[] = {
    {TCGETS, KERNEL_TERMINAL, 1, NONE},
    {TCSETS, KERNEL_TERMINAL, 0, WHOLE_DECIDES},
    {TCSETSW, KERNEL_TERMINAL, 0, WHOLE_DECIDES},
    {TCSETSF, KERNEL_TERMINAL, 0, WHOLE_DECIDES},
    {TIOCGWINSZ, sizeof(struct winsize), 1, NONE},
    {TIOCSWINSZ, sizeof(struct winsize), 0, WHOLE_DECIDES},
    {TIOCGPGRP, sizeof(pid_t), 1, NONE},
    {TIOCSPGRP, sizeof(pid_t), 0, WHOLE_DECIDES},
    {TIOCGSID, sizeof(pid_t), 1, NONE},
    {TIOCGPTN, sizeof(unsigned), 1, NONE},
    {TIOCSPTLCK, sizeof(int), 0, WHOLE_DECIDES},
    {TIOCGETD, sizeof(int), 1, NONE},
    {TIOCSETD, sizeof(int), 0, WHOLE_DECIDES},
    {TIOCMGET, sizeof(int), 1, NONE},
    {TIOCMSET, sizeof(int), 0, WHOLE_DECIDES},
    {TIOCMBIS, sizeof(int), 0, WHOLE_DECIDES},
    {TIOCMBIC, sizeof(int), 0, WHOLE_DECIDES},
    {TIOCPKT, sizeof(int), 0, WHOLE_DECIDES},
    {TIOCSTI, sizeof(char), 0, WHOLE_DECIDES},
    {TIOCOUTQ, sizeof(int), 1, NONE},
    {FIONREAD, sizeof(int), 1, NONE},
    {FIONBIO, sizeof(int), 0, WHOLE_DECIDES},
    {FIOASYNC, sizeof(int), 0, WHOLE_DECIDES},
    {FIOQSIZE, sizeof(loff_t), 1, NONE},
    {SIOCATMARK, sizeof(int), 1, NONE},
    {FIOSETOWN, sizeof(int), 0, WHOLE_DECIDES},
    {FIOGETOWN, sizeof(int), 1, NONE},
    {SIOCGIFCONF, sizeof(struct ifconf), 1, LIST_DECIDES},
    {SIOCGIFNAME, sizeof(struct ifreq), 1, INDEX_DECIDES},
    {SIOCGIFFLAGS, sizeof(struct ifreq), 1, NAME_DECIDES},
    {SIOCGIFADDR, sizeof(struct ifreq), 1, NAME_DECIDES},
    {SIOCGIFNETMASK, sizeof(struct ifreq), 1, NAME_DECIDES},
    {SIOCGIFBRDADDR, sizeof(struct ifreq), 1, NAME_DECIDES},
    {SIOCGIFHWADDR, sizeof(struct ifreq), 1, NAME_DECIDES},
    {SIOCGIFMTU, sizeof(struct ifreq), 1, NAME_DECIDES},
    {SIOCGIFINDEX, sizeof(struct ifreq), 1, NAME_DECIDES},
    {SIOCGIFDSTADDR, sizeof(struct ifreq), 1, NAME_DECIDES},
    {SIOCGIFMETRIC, sizeof(struct ifreq), 1, NAME_DECIDES},
    {SIOCSIFNAME, sizeof(struct ifreq), 0, NAME_DECIDES},
    {SIOCSIFFLAGS, sizeof(struct ifreq), 0, NAME_DECIDES},
    {SIOCSIFADDR, sizeof(struct ifreq), 0, NAME_DECIDES},
    {SIOCSIFNETMASK, sizeof(struct ifreq), 0, NAME_DECIDES},
    {SIOCSIFBRDADDR, sizeof(struct ifreq), 0, NAME_DECIDES},
    {SIOCSIFDSTADDR, sizeof(struct ifreq), 0, NAME_DECIDES},
    {SIOCSIFHWADDR, sizeof(struct ifreq), 0, NAME_DECIDES},
    {SIOCSIFMTU, sizeof(struct ifreq), 0, NAME_DECIDES},
    {SIOCSIFTXQLEN, sizeof(struct ifreq), 0, NAME_DECIDES},
    {SIOCGIFTXQLEN, sizeof(struct ifreq), 1, NAME_DECIDES},
    {FS_IOC_GETFLAGS, sizeof(int), 1, NONE},
    {FS_IOC_SETFLAGS, sizeof(int), 0, WHOLE_DECIDES},
    {FS_IOC_GETVERSION, sizeof(int), 1, NONE},
    {FIGETBSZ, sizeof(int), 1, NONE},
    {FICLONERANGE, sizeof(struct file_clone_range), 0, WHOLE_DECIDES},
    {BLKGETSIZE, sizeof(long), 1, NONE},
    {BLKGETSIZE64, sizeof(uint64_t), 1, NONE},
    {BLKSSZGET, sizeof(int), 1, NONE},
    {BLKROGET, sizeof(int), 1, NONE},
    {HDIO_GETGEO, sizeof(struct hd_geometry), 1, NONE},
};

static const struct request *find(unsigned long number) {
    for (unsigned i = 0; i < sizeof requests / sizeof *requests; i++)
        if (requests[i].number == number) return &requests[i];
    return NULL;
}

/* Of an interface, a name ends with a 0 or fills its room. */
static void check_decides(struct site site, const struct request *request, const void *argument) {
    const struct ifreq *interface = argument;
    const struct ifconf *list = argument;
    switch (request->decides) {
    case NAME_DECIDES:
        check_used(site, interface->ifr_name, strnlen(interface->ifr_name, IFNAMSIZ - 1) + 1);
        break;
    case INDEX_DECIDES:
        check_used(site, &interface->ifr_ifindex, sizeof interface->ifr_ifindex);
        break;
    case LIST_DECIDES: /* without room, it is how much is needed */
        check_used(site, &list->ifc_buf, sizeof list->ifc_buf);
        if (list->ifc_buf) check_used(site, &list->ifc_len, sizeof list->ifc_len);
        break;
    case WHOLE_DECIDES: check_used(site, argument, request->size); break;
    case NONE: break;
    }
}

void check_request(struct site site, unsigned long number, const void *argument) {
    if (!is_judged(argument)) return;
    const struct request *request = find(number);
    if (!request) return;
    check_structure(site, argument, request->size, request->stores);
    if (VALUES_ON && access_clean((uintptr_t)argument, request->size))
        check_decides(site, request, argument);
}

void request_done(struct site site, unsigned long number, const void *argument, int result) {
    const struct ifconf *list = argument;
    if (number != SIOCGIFCONF || result < 0 || !is_judged(argument)) return;
    if (!is_there(list, sizeof *list) || !list->ifc_buf || list->ifc_len <= 0) return;
    check_range(site, list->ifc_buf, (size_t)list->ifc_len, 1, list->ifc_buf);
    NOW_WRITTEN(site, list->ifc_buf, (size_t)list->ifc_len);
}

/* The argument is passed on as it comes, also where there is none. */
WRAP(int, ioctl, (int file, unsigned long request, ...)) {
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    check_request(SITE, request, argument);
    int result = (int)USED(file, NEXT(ioctl)(file, request, argument));
    request_done(SITE, request, argument, result);
    return result;
}

/* ---- fcntl ---- */

/* The process that has a lock is not asked for. */
static void check_lock(struct site site, const struct flock *lock, int stores) {
    check_structure(site, lock, sizeof *lock, stores);
    if (VALUES_ON && access_clean((uintptr_t)lock, sizeof *lock)) {
        check_used_bytes(site, &lock->l_type, sizeof lock->l_type);
        check_used_bytes(site, &lock->l_whence, sizeof lock->l_whence);
        check_used_bytes(site, &lock->l_start, sizeof lock->l_start);
        check_used_bytes(site, &lock->l_len, sizeof lock->l_len);
    }
}

static void check_told(struct site site, const void *argument, size_t size) {
    check_structure(site, argument, size, 0);
    if (VALUES_ON && access_clean((uintptr_t)argument, size))
        check_used_bytes(site, argument, size);
}

void check_command(struct site site, int command, const void *argument) {
    switch (command) {
    case F_GETLK:
    case F_OFD_GETLK: check_lock(site, argument, 1); break;
    case F_SETLK:
    case F_SETLKW:
    case F_OFD_SETLK:
    case F_OFD_SETLKW: check_lock(site, argument, 0); break;
    case F_GETOWN_EX: check_structure(site, argument, sizeof(struct f_owner_ex), 1); break;
    case F_SETOWN_EX: check_told(site, argument, sizeof(struct f_owner_ex)); break;
    case F_GET_RW_HINT:
    case F_GET_FILE_RW_HINT: check_structure(site, argument, sizeof(uint64_t), 1); break;
    case F_SET_RW_HINT:
    case F_SET_FILE_RW_HINT: check_told(site, argument, sizeof(uint64_t)); break;
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

/* Of other commands, the argument is a pointer or none. */
static int takes_number(int command) {
    static const int commands[] = {F_DUPFD,  F_DUPFD_CLOEXEC, F_SETFD,  F_SETFL,      F_SETOWN,
                                   F_SETSIG, F_SETLEASE,      F_NOTIFY, F_SETPIPE_SZ, F_ADD_SEALS};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (command == commands[i]) return 1;
    return 0;
}

static void check_numbers(struct site site, int file, int command, const void *argument) {
    const long words[] = {file, command, (long)argument};
    if (PORT_OBSERVED && VALUES_ON)
        port_arguments(0, takes_number(command) ? 0x444 : 0x44, words, site.function, site.frame);
}

#define COMMAND(name)                                                                              \
    WRAP(int, name, (int file, int command, ...)) {                                                \
        va_list arguments;                                                                         \
        va_start(arguments, command);                                                              \
        void *argument = va_arg(arguments, void *);                                                \
        va_end(arguments);                                                                         \
        check_numbers(SITE, file, command, argument);                                              \
        check_command(SITE, command, argument);                                                    \
        return commanded(SITE, file, command, argument, NEXT(name)(file, command, argument));      \
    }

int fcntl64(int, int, ...) __attribute__((weak));
COMMAND(fcntl)
COMMAND(fcntl64)
